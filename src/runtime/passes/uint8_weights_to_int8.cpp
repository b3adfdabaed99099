#include <algorithm>
#include <onnx-ml.pb.h>
#include <set>

#include "base/cpu.hpp"
#include "runtime/graph.hpp"
#include "runtime/passes/passes.hpp"

namespace transmuter {
namespace {

using onnx::TensorProto;

// Where the weight and its zero point are among the inputs of an operator.
struct IntegerProduct {
  std::string_view op_type;
  int weight;
  int zero_point;
};
constexpr IntegerProduct kProducts[] = {{"MatMulInteger", 1, 3}, {"DynamicQuantizeMatMul", 1, 3}};

std::vector<std::byte> shifted(std::span<const std::byte> values) {
  std::vector<std::byte> result(values.begin(), values.end());
  for (std::byte& value : result) value ^= std::byte{0x80};  // the same as minus 128
  return result;
}

void shift(Graph& graph, TensorProto& tensor) {
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    graph.replace_weight(tensor, shifted(graph.bytes_of(tensor)));
  } else if (tensor.has_raw_data()) {
    const auto bytes = shifted(std::as_bytes(std::span(tensor.raw_data())));
    tensor.set_raw_data(bytes.data(), bytes.size());
  } else {
    for (auto& value : *tensor.mutable_int32_data()) value -= 128;
  }
  tensor.set_data_type(TensorProto::INT8);
}

// Names that anything but the products' own inputs uses: these must keep their type.
void add_uses(const onnx::GraphProto& graph, std::multiset<std::string>& names) {
  for (const auto& node : graph.node()) {
    names.insert(node.input().begin(), node.input().end());
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) add_uses(attribute.g(), names);
      for (const auto& body : attribute.graphs()) add_uses(body, names);
    }
  }
  for (const auto& output : graph.output()) names.insert(output.name());
  for (const auto& input : graph.input()) names.insert(input.name());  // the caller may replace it
}

}  // namespace

// (a - za) * (w - zw) stays the same integer when w and zw both lose 128.
std::size_t uint8_weights_to_int8(Graph& graph) {
  if (!has_vnni()) return 0;
  std::multiset<std::string> used;
  add_uses(graph.graph(), used);
  std::size_t places = 0;
  for (auto& node : *graph.graph().mutable_node()) {
    const auto product = std::ranges::find(kProducts, node.op_type(), &IntegerProduct::op_type);
    if (product == std::end(kProducts) || node.input_size() <= product->zero_point) continue;
    const std::string& weight_name = node.input(product->weight);
    const std::string& zero_name = node.input(product->zero_point);
    TensorProto* weight = graph.find_initializer(weight_name);
    TensorProto* zero = graph.find_initializer(zero_name);
    if (weight == nullptr || zero == nullptr || weight->data_type() != TensorProto::UINT8 ||
        zero->data_type() != TensorProto::UINT8 || used.count(weight_name) != 1 || used.count(zero_name) != 1) {
      continue;
    }
    shift(graph, *weight);
    shift(graph, *zero);
    ++places;
  }
  return places;
}

}  // namespace transmuter
