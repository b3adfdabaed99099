#include "runtime/graph.hpp"

#include <charconv>
#include <filesystem>
#include <onnx-ml.pb.h>

#include "base/error.hpp"
#include "base/file_content.hpp"
#include "runtime/mapped_file.hpp"
#include "runtime/nested_tensors.hpp"
#include "runtime/onnx_file.hpp"

namespace transmuter {
namespace {

std::string_view entry_of(const onnx::TensorProto& tensor, std::string_view key) {
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == key) return entry.value();
  }
  return {};
}

std::size_t number_of(const onnx::TensorProto& tensor, std::string_view key, std::size_t otherwise) {
  const std::string_view text = entry_of(tensor, key);
  if (text.empty()) return otherwise;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail(ErrorCode::InvalidModel, "initializer {}: {} of its external data is \"{}\"", tensor.name(), key, text);
  }
  return number;
}

void set_external(onnx::TensorProto& tensor, const std::vector<std::pair<std::string, std::string>>& entries) {
  tensor.clear_external_data();
  for (const auto& [key, value] : entries) {
    auto* entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
}

// Names the part of the file by its whole path, whatever folder or link led to it.
void point_to(onnx::TensorProto& tensor, const MappedFile& file, std::span<const std::byte> bytes) {
  set_external(tensor, {{"location", file.path().substr(std::string_view(kWeightsFolder).size())},
                        {"offset", std::to_string(bytes.data() - file.bytes().data())},
                        {"length", std::to_string(bytes.size())}});
}

void count_operators(const onnx::GraphProto& graph, std::map<std::string, std::size_t>& counts) {
  for (const auto& node : graph.node()) {
    ++counts[node.op_type()];
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) count_operators(attribute.g(), counts);
    }
  }
}

}  // namespace

Graph::Graph() : model_(std::make_unique<onnx::ModelProto>()) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

Graph Graph::load(const std::string& path) {
  const auto file = MappedFile::open(path);
  return within(path, [&] {
    OnnxFile parts = take_apart(file->bytes());
    Graph graph;
    if (!graph.model_->ParseFromString(parts.skeleton)) {
      fail(ErrorCode::InvalidModel, "not an ONNX file, or a damaged one: fetch it again");
    }
    graph.files_.push_back(file);
    for (auto& tensor : *graph.graph().mutable_initializer()) {
      const auto weight = parts.weights.find(tensor.name());
      if (weight != parts.weights.end()) graph.place_in_file(tensor, file, weight->second);
    }
    graph.take_external_data(path);
    return graph;
  });
}

Graph::Located Graph::locate(const onnx::TensorProto& tensor, const std::string& path) {
  namespace fs = std::filesystem;
  const std::string location(entry_of(tensor, "location"));
  const fs::path relative = fs::path(location).lexically_normal();
  if (location.empty() || relative.is_absolute() || relative.native().starts_with("..")) {
    fail(ErrorCode::InvalidModel, "initializer {}: its external data lies outside the model's folder: \"{}\"",
         tensor.name(), location);
  }
  auto& file = external_files_[location];
  if (!file) {
    const fs::path place = fs::path(path).parent_path() / relative;
    std::error_code unknown;
    if (!fs::exists(place, unknown)) {
      fail(ErrorCode::NotFound, "its external data {} is missing: fetch it into the same folder", location);
    }
    file = MappedFile::open(place.string());
    files_.push_back(file);
    const auto bytes = file->bytes();
    within(location, [&] { check_file_content({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); });
  }
  const std::size_t size = file->bytes().size();
  const std::size_t offset = number_of(tensor, "offset", 0);
  const std::size_t length = number_of(tensor, "length", offset <= size ? size - offset : 0);
  if (offset > size || length > size - offset) {
    fail(ErrorCode::InvalidModel, "initializer {}: needs bytes {} to {} of {}, which has {}: fetch it again",
         tensor.name(), offset, offset + length, location, size);
  }
  return {.file = file, .bytes = file->bytes().subspan(offset, length)};
}

// ONNX Runtime looks for external data from the root folder on, so that no location of the file may stay as it is.
void Graph::take_external_data(const std::string& path) {
  for (auto& tensor : *graph().mutable_initializer()) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL || weights_.contains(tensor.name())) continue;
    const Located located = locate(tensor, path);
    place_in_file(tensor, located.file, located.bytes);
  }
  for_each_nested_tensor(*model_, [&](onnx::TensorProto& tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    const Located located = locate(tensor, path);
    point_to(tensor, *located.file, located.bytes);
  });
  model_->clear_training_info();
}

void Graph::place_in_file(onnx::TensorProto& tensor, const std::shared_ptr<const MappedFile>& file,
                          std::span<const std::byte> bytes) {
  point_to(tensor, *file, bytes);
  weights_[tensor.name()] = {.bytes = bytes, .owner = file, .in_file = true};
}

onnx::GraphProto& Graph::graph() { return *model_->mutable_graph(); }
const onnx::GraphProto& Graph::graph() const { return model_->graph(); }

const Weight* Graph::find_weight(const std::string& name) const {
  const auto found = weights_.find(name);
  return found == weights_.end() ? nullptr : &found->second;
}

onnx::TensorProto* Graph::find_initializer(std::string_view name) {
  for (auto& tensor : *graph().mutable_initializer()) {
    if (tensor.name() == name) return &tensor;
  }
  return nullptr;
}

std::span<const std::byte> Graph::bytes_of(const onnx::TensorProto& tensor) const {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    const Weight* weight = find_weight(tensor.name());
    return weight != nullptr ? weight->bytes : std::span<const std::byte>{};
  }
  return std::as_bytes(std::span(tensor.raw_data()));
}

void Graph::replace_weight(onnx::TensorProto& tensor, std::vector<std::byte> bytes) {
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  tensor.clear_raw_data();
  tensor.clear_int32_data();
  set_external(tensor, {{"location", std::string(kInFile)}});
  weights_[tensor.name()] = {.bytes = std::span(*kept), .owner = kept, .in_file = false};
}

std::map<std::string, std::size_t> Graph::operator_counts() const {
  std::map<std::string, std::size_t> counts;
  count_operators(graph(), counts);
  return counts;
}

std::string Graph::serialize() const { return model_->SerializeAsString(); }

void Graph::release_pages() const {
  for (const auto& file : files_) file->release_pages();
}

}  // namespace transmuter
