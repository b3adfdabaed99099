#include "runtime/nested_tensors.hpp"

#include <onnx-ml.pb.h>

namespace transmuter {
namespace {

using Visit = std::function<void(onnx::TensorProto&)>;

void visit_sparse(onnx::SparseTensorProto& tensor, const Visit& visit) {
  visit(*tensor.mutable_values());
  visit(*tensor.mutable_indices());
}

void visit_nodes(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, const Visit& visit);

void visit_subgraph(onnx::GraphProto& graph, const Visit& visit) {
  for (auto& tensor : *graph.mutable_initializer()) visit(tensor);
  for (auto& tensor : *graph.mutable_sparse_initializer()) visit_sparse(tensor, visit);
  visit_nodes(*graph.mutable_node(), visit);
}

void visit_attribute(onnx::AttributeProto& attribute, const Visit& visit) {
  if (attribute.has_t()) visit(*attribute.mutable_t());
  if (attribute.has_g()) visit_subgraph(*attribute.mutable_g(), visit);
  if (attribute.has_sparse_tensor()) visit_sparse(*attribute.mutable_sparse_tensor(), visit);
  for (auto& tensor : *attribute.mutable_tensors()) visit(tensor);
  for (auto& graph : *attribute.mutable_graphs()) visit_subgraph(graph, visit);
  for (auto& tensor : *attribute.mutable_sparse_tensors()) visit_sparse(tensor, visit);
}

void visit_nodes(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, const Visit& visit) {
  for (auto& node : nodes) {
    for (auto& attribute : *node.mutable_attribute()) visit_attribute(attribute, visit);
  }
}

}  // namespace

void for_each_nested_tensor(onnx::ModelProto& model, const Visit& visit) {
  for (auto& tensor : *model.mutable_graph()->mutable_sparse_initializer()) visit_sparse(tensor, visit);
  visit_nodes(*model.mutable_graph()->mutable_node(), visit);
  for (auto& function : *model.mutable_functions()) {
    visit_nodes(*function.mutable_node(), visit);
    for (auto& attribute : *function.mutable_attribute_proto()) visit_attribute(attribute, visit);
  }
}

}  // namespace transmuter
