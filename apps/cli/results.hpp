#pragma once

#include <string>

#include "tasks/registry.hpp"

namespace transmuter::cli {

/// The result of input number `index`; its tensors are .npy files in `folder`, or nested arrays when that is empty.
Json json_of(const AnyResult& result, std::size_t index, const std::string& folder);

}  // namespace transmuter::cli
