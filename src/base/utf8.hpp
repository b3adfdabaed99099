#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace transmuter {

/// Where the first byte is that makes a text invalid UTF-8; nothing when it is valid.
std::optional<std::size_t> invalid_utf8_at(std::string_view text);

/// How many code points a valid text has.
std::size_t code_points(std::string_view text);

/// The part of a valid text that holds its first `count` code points.
std::string_view first_code_points(std::string_view text, std::size_t count);

/// A valid text without the spaces at both ends. Parity: Python str.strip().
std::string_view stripped(std::string_view text);

}  // namespace transmuter
