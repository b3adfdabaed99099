#pragma once

#include <vector>

#include "base/json.hpp"
#include "runtime/signature.hpp"

namespace transmuter::cli {

/// [{"name": "input_ids", "type": "int64", "shape": ["batch_size", 128]}, ...]
Json json_of(const std::vector<ValueInfo>& values);

}  // namespace transmuter::cli
