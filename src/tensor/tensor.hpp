#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace transmuter {

enum class DType { Float32, Float16, Float64, Int64, Int32, Int8, Uint8, Bool };

std::string_view name(DType dtype);  ///< As NumPy names it: "float32".
std::size_t size_in_bytes(DType dtype);

using Shape = std::vector<std::int64_t>;

std::int64_t element_count(const Shape& shape);
std::string printed(const Shape& shape);  ///< "[2, 384]"

namespace detail {
template <class T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<float>() {
  return DType::Float32;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::Float64;
}
template <>
constexpr DType dtype_of<std::int64_t>() {
  return DType::Int64;
}
template <>
constexpr DType dtype_of<std::int32_t>() {
  return DType::Int32;
}
template <>
constexpr DType dtype_of<std::int8_t>() {
  return DType::Int8;
}
template <>
constexpr DType dtype_of<std::uint8_t>() {
  return DType::Uint8;
}
template <>
constexpr DType dtype_of<bool>() {
  return DType::Bool;
}
}  // namespace detail

/// A dense row-major tensor. Moved, not copied; clone() copies. It may hold memory that another library made.
class Tensor {
 public:
  Tensor() = default;
  /// Zeros.
  Tensor(DType dtype, Shape shape);
  /// Memory of somebody else, kept alive by `owner`.
  Tensor(DType dtype, Shape shape, void* data, std::shared_ptr<void> owner);
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&&) noexcept = default;
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  template <class T>
  static Tensor of(std::span<const T> values, Shape shape) {
    Tensor tensor(detail::dtype_of<T>(), std::move(shape));
    std::copy(values.begin(), values.end(), tensor.view<T>().begin());
    return tensor;
  }
  Tensor clone() const;

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return element_count(shape_); }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * size_in_bytes(dtype_); }
  void* data() { return data_; }
  const void* data() const { return data_; }

  /// All elements; an Internal error when T is not the dtype.
  template <class T>
  std::span<T> view() {
    check(detail::dtype_of<T>());
    return {static_cast<T*>(data_), static_cast<std::size_t>(size())};
  }
  template <class T>
  std::span<const T> view() const {
    check(detail::dtype_of<T>());
    return {static_cast<const T*>(data_), static_cast<std::size_t>(size())};
  }

 private:
  void check(DType wanted) const;

  DType dtype_ = DType::Float32;
  Shape shape_{0};
  void* data_ = nullptr;
  std::shared_ptr<void> owner_;
};

}  // namespace transmuter
