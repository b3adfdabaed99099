#include "tensor/float16.hpp"

#include <bit>
#include <cstring>

namespace transmuter {

float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = (static_cast<std::uint32_t>(half) & 0x8000U) << 16U;
  const std::uint32_t exponent = (static_cast<std::uint32_t>(half) >> 10U) & 0x1FU;
  const std::uint32_t mantissa = half & 0x3FFU;
  if (exponent == 0x1FU) return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13U));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (mantissa << 13U));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;  // a subnormal half is a normal float
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

Tensor to_float32(const Tensor& halves) {
  if (halves.dtype() != DType::Float16)
    fail(ErrorCode::Internal, "a {} tensor was widened as float16", name(halves.dtype()));
  Tensor floats(DType::Float32, halves.shape());
  const auto values = floats.view<float>();
  const auto* source = static_cast<const std::byte*>(halves.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, source + 2 * i, 2);
    values[i] = float_of_half(half);
  }
  return floats;
}

}  // namespace transmuter
