#pragma once

#include <cstddef>
#include <string_view>

namespace transmuter {

/// How many bytes must be added, removed or changed to make one text the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace transmuter
