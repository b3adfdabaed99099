#pragma once

#include <functional>

namespace onnx {
class ModelProto;
class TensorProto;
}  // namespace onnx

namespace transmuter {

/// Visits every tensor of a model but the initializers of its graph: those of subgraphs, of attributes, of functions,
/// and sparse ones.
void for_each_nested_tensor(onnx::ModelProto& model, const std::function<void(onnx::TensorProto&)>& visit);

}  // namespace transmuter
