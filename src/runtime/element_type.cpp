#include "runtime/element_type.hpp"

#include <algorithm>
#include <onnx-ml.pb.h>

namespace transmuter {
namespace {

constexpr ElementType kTypes[] = {
    {onnx::TensorProto::FLOAT, DType::Float32, "float32"},  {onnx::TensorProto::FLOAT16, DType::Float16, "float16"},
    {onnx::TensorProto::DOUBLE, DType::Float64, "float64"}, {onnx::TensorProto::INT64, DType::Int64, "int64"},
    {onnx::TensorProto::INT32, DType::Int32, "int32"},      {onnx::TensorProto::INT8, DType::Int8, "int8"},
    {onnx::TensorProto::UINT8, DType::Uint8, "uint8"},      {onnx::TensorProto::BOOL, DType::Bool, "bool"},
    {onnx::TensorProto::STRING, std::nullopt, "string"},    {onnx::TensorProto::BFLOAT16, std::nullopt, "bfloat16"},
};

}  // namespace

const ElementType* find_element_type(int onnx) {
  const auto found = std::ranges::find(kTypes, onnx, &ElementType::onnx);
  return found == std::end(kTypes) ? nullptr : found;
}

int onnx_number(DType dtype) { return std::ranges::find(kTypes, std::optional(dtype), &ElementType::dtype)->onnx; }

}  // namespace transmuter
