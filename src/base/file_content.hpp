#pragma once

#include <string_view>

namespace transmuter {

/// Throws InvalidModel for what stands where a file should be: nothing, or the pointer that Git LFS leaves.
void check_file_content(std::string_view bytes);

}  // namespace transmuter
