#include "runtime/graph_header.hpp"

#include <algorithm>
#include <onnx-ml.pb.h>
#include <set>

#include "base/error.hpp"
#include "runtime/element_type.hpp"
#include "runtime/mapped_file.hpp"
#include "runtime/nested_tensors.hpp"
#include "runtime/onnx_file.hpp"

namespace transmuter {
namespace {

ValueInfo value_info(const onnx::ValueInfoProto& proto) {
  ValueInfo value{.name = proto.name(), .dtype = {}, .type = "not a tensor", .dims = {}, .symbols = {}};
  if (!proto.type().has_tensor_type()) return value;
  const auto& tensor = proto.type().tensor_type();
  if (const ElementType* type = find_element_type(tensor.elem_type()); type != nullptr) {
    value.dtype = type->dtype;
    value.type = type->name;
  }
  for (const auto& dim : tensor.shape().dim()) {
    value.dims.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
    value.symbols.push_back(dim.dim_param());
  }
  return value;
}

void add_external_file(const onnx::TensorProto& tensor, std::vector<std::string>& files) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
  for (const auto& entry : tensor.external_data()) {
    const bool is_file = entry.key() == "location" && entry.value() != kInFile;
    if (is_file && std::ranges::find(files, entry.value()) == files.end()) files.push_back(entry.value());
  }
}

}  // namespace

GraphHeader read_graph_header(const std::string& path) {
  const auto file = MappedFile::open(path);
  return within(path, [&] {
    onnx::ModelProto model;
    if (!model.ParseFromString(take_apart(file->bytes()).skeleton)) {
      fail(ErrorCode::InvalidModel, "not an ONNX file, or a damaged one: fetch it again");
    }
    GraphHeader header;
    std::set<std::string_view> weights;
    for (const auto& tensor : model.graph().initializer()) {
      weights.insert(tensor.name());
      add_external_file(tensor, header.external_files);
    }
    for_each_nested_tensor(model,
                           [&](const onnx::TensorProto& tensor) { add_external_file(tensor, header.external_files); });
    for (const auto& input : model.graph().input()) {
      // Old files list the weights, too.
      if (!weights.contains(input.name())) header.signature.inputs.push_back(value_info(input));
    }
    for (const auto& output : model.graph().output()) header.signature.outputs.push_back(value_info(output));
    return header;
  });
}

}  // namespace transmuter
