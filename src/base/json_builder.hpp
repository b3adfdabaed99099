#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace transmuter {

/// Parses JSON whose objects keep the order of their keys, in time that grows with the text alone: the library's own
/// parser searches an object for each new key. A key that comes twice has its last value, as in Python.
/// Gives the parser's message instead of a value for what is no JSON.
std::optional<std::string> build_json(std::string_view text, nlohmann::ordered_json& value);

}  // namespace transmuter
