#pragma once

#include <optional>
#include <string_view>

#include "tensor/tensor.hpp"

namespace transmuter {

/// A type of tensor elements. ONNX files and ONNX Runtime give it the same number.
struct ElementType {
  int onnx = 0;
  std::optional<DType> dtype;  ///< Nothing for a type that is not used here.
  std::string_view name;       ///< "float32"
};

/// The type with ONNX's number `onnx`, or null.
const ElementType* find_element_type(int onnx);

/// ONNX's number.
int onnx_number(DType dtype);

}  // namespace transmuter
