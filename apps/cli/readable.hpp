#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"

namespace transmuter::cli {

/// A readable form of results, for a terminal: a table of similarities for embeddings, bars for predictions.
std::string readable(const std::vector<Json>& inputs, const std::vector<Json>& results);

}  // namespace transmuter::cli
