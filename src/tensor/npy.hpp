#pragma once

#include <string>

#include "transmuter/results.hpp"

namespace transmuter {

/// Writes a float32 .npy file (NumPy format 1.0), whole or not at all. Throws Unavailable with the system's reason.
void write_npy(const std::string& path, const FloatTensor& tensor);

/// Reads a .npy file of float32 in C order. Throws NotFound or InvalidInput.
FloatTensor read_npy(const std::string& path);

}  // namespace transmuter
