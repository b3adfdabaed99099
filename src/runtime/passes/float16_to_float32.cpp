#include <cstring>
#include <onnx-ml.pb.h>

#include "base/error.hpp"
#include "runtime/graph.hpp"
#include "runtime/passes/passes.hpp"
#include "tensor/float16.hpp"

namespace transmuter {
namespace {

using onnx::TensorProto;

std::vector<std::byte> widened(std::span<const std::byte> halves) {
  std::vector<std::byte> floats(halves.size() / 2 * 4);
  for (std::size_t i = 0; i < halves.size() / 2; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, halves.data() + 2 * i, 2);
    const float value = float_of_half(half);
    std::memcpy(floats.data() + 4 * i, &value, 4);
  }
  return floats;
}

[[noreturn]] void fail_nested(const TensorProto& tensor) {
  fail(ErrorCode::Unsupported,
       "tensor {}: float16 data of a subgraph in a file of its own is not converted; put float16_to_float32 into "
       "disabled_passes",
       tensor.name());
}

// A tensor that is inside the graph: a small initializer, or the value of an attribute.
bool widen(TensorProto& tensor) {
  if (tensor.data_type() != TensorProto::FLOAT16) return false;
  if (tensor.data_location() == TensorProto::EXTERNAL) fail_nested(tensor);
  tensor.set_data_type(TensorProto::FLOAT);
  if (tensor.has_raw_data()) {
    const auto floats = widened(std::as_bytes(std::span(tensor.raw_data())));
    tensor.set_raw_data(floats.data(), floats.size());
  }
  for (const std::int32_t half : tensor.int32_data())
    tensor.add_float_data(float_of_half(static_cast<std::uint16_t>(half)));
  tensor.clear_int32_data();
  return true;
}

void widen(onnx::ValueInfoProto& value) {
  auto* type = value.mutable_type();
  if (type->has_tensor_type() && type->tensor_type().elem_type() == TensorProto::FLOAT16) {
    type->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
  }
}

std::size_t widen(onnx::GraphProto& graph, Graph& whole);

std::size_t widen(onnx::NodeProto& node, Graph& whole) {
  std::size_t places = 0;
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_t()) places += widen(*attribute.mutable_t()) ? 1U : 0U;
    if (attribute.has_g()) places += widen(*attribute.mutable_g(), whole);
    const bool names_a_type =
        attribute.name() == "to" || attribute.name() == "dtype" || attribute.name() == "output_dtype";
    if (names_a_type && attribute.i() == TensorProto::FLOAT16) {
      attribute.set_i(TensorProto::FLOAT);
      ++places;
    }
  }
  return places;
}

std::size_t widen(onnx::GraphProto& graph, Graph& whole) {
  std::size_t places = 0;
  for (auto& tensor : *graph.mutable_initializer()) {
    const bool is_weight = &graph == &whole.graph() && whole.find_weight(tensor.name()) != nullptr;
    if (tensor.data_type() == TensorProto::FLOAT16 && is_weight) {
      whole.replace_weight(tensor, widened(whole.bytes_of(tensor)));
      tensor.set_data_type(TensorProto::FLOAT);
      ++places;
    } else {
      places += widen(tensor) ? 1U : 0U;
    }
  }
  for (auto& node : *graph.mutable_node()) places += widen(node, whole);
  for (auto& value : *graph.mutable_input()) widen(value);
  for (auto& value : *graph.mutable_output()) widen(value);
  for (auto& value : *graph.mutable_value_info()) widen(value);
  return places;
}

}  // namespace

std::size_t float16_to_float32(Graph& graph) { return widen(graph.graph(), graph); }

}  // namespace transmuter
