#include "tensor/tensor.hpp"

#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>

namespace transmuter {

std::string_view name(DType dtype) {
  switch (dtype) {
    case DType::Float32: return "float32";
    case DType::Float16: return "float16";
    case DType::Float64: return "float64";
    case DType::Int64: return "int64";
    case DType::Int32: return "int32";
    case DType::Int8: return "int8";
    case DType::Uint8: return "uint8";
    case DType::Bool: return "bool";
  }
  fail(ErrorCode::Internal, "no name for dtype {}", static_cast<int>(dtype));
}

std::size_t size_in_bytes(DType dtype) {
  switch (dtype) {
    case DType::Float64:
    case DType::Int64: return 8;
    case DType::Float32:
    case DType::Int32: return 4;
    case DType::Float16: return 2;
    case DType::Int8:
    case DType::Uint8:
    case DType::Bool: return 1;
  }
  fail(ErrorCode::Internal, "no size for dtype {}", static_cast<int>(dtype));
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t side : shape) {
    if (side < 0 || __builtin_mul_overflow(count, side, &count))
      fail(ErrorCode::Internal, "impossible shape {}", printed(shape));
  }
  return count;
}

std::string printed(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Tensor::Tensor(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)) {
  auto memory = std::shared_ptr<std::byte[]>(new std::byte[bytes()]());
  data_ = memory.get();
  owner_ = std::shared_ptr<void>(memory, data_);
}

Tensor::Tensor(DType dtype, Shape shape, void* data, std::shared_ptr<void> owner)
    : dtype_(dtype), shape_(std::move(shape)), data_(data), owner_(std::move(owner)) {}

Tensor Tensor::clone() const {
  Tensor copy(dtype_, shape_);
  if (bytes() != 0) std::memcpy(copy.data_, data_, bytes());
  return copy;
}

void Tensor::check(DType wanted) const {
  if (wanted != dtype_) fail(ErrorCode::Internal, "a {} tensor was read as {}", name(dtype_), name(wanted));
}

}  // namespace transmuter
