#pragma once

#include <cstdint>

#include "tensor/tensor.hpp"

namespace transmuter {

/// The float with the value of an IEEE half, subnormals, infinities and NaN included.
float float_of_half(std::uint16_t half);

/// A float16 tensor as float32.
Tensor to_float32(const Tensor& halves);

}  // namespace transmuter
