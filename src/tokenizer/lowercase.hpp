#pragma once

#include <string>
#include <string_view>

namespace transmuter {

/// The text with every letter in lower case. Parity: Python str.lower(). Throws InvalidInput for invalid UTF-8.
std::string lowercase(std::string_view text);

}  // namespace transmuter
