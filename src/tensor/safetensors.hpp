#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tensor/tensor.hpp"

namespace transmuter {

/// The tensors of a safetensors file as float32 (from F32, F16, BF16 or F64).
/// Throws InvalidModel when the file is broken or has other types. `name` is the file's, for errors.
std::map<std::string, Tensor, std::less<>> read_safetensors(std::string_view file, std::string_view name);

}  // namespace transmuter
