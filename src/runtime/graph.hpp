#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onnx {
class GraphProto;
class ModelProto;
class TensorProto;
}  // namespace onnx

namespace transmuter {

class MappedFile;

/// The bytes of a large initializer: a part of a mapped file, or what a pass made.
struct Weight {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  bool in_file = false;
};

/// Weights in files are named by paths below this folder, whatever links lead to them.
inline constexpr const char* kWeightsFolder = "/";

/// An ONNX graph that can be changed before it is run. Its large weights stay in the mapped file.
class Graph {
 public:
  /// Throws NotFound for a missing file (also an external data file), InvalidModel for a broken one.
  static Graph load(const std::string& path);
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  onnx::ModelProto& model() { return *model_; }
  const onnx::ModelProto& model() const { return *model_; }
  onnx::GraphProto& graph();
  const onnx::GraphProto& graph() const;

  /// The large initializers by name.
  const std::map<std::string, Weight>& weights() const { return weights_; }
  const Weight* find_weight(const std::string& name) const;
  /// The initializer with this name, or null.
  onnx::TensorProto* find_initializer(std::string_view name);
  /// The bytes of an initializer, wherever they are; empty when it keeps them in a typed field.
  std::span<const std::byte> bytes_of(const onnx::TensorProto& tensor) const;
  /// Gives an initializer new bytes; its dtype and dims are the caller's to set.
  void replace_weight(onnx::TensorProto& tensor, std::vector<std::byte> bytes);

  /// How many nodes have this operator, subgraphs included.
  std::map<std::string, std::size_t> operator_counts() const;

  /// Without the large weights: those in files are external data below kWeightsFolder.
  std::string serialize() const;
  /// Gives the pages of the mapped files back to the system.
  void release_pages() const;

 private:
  struct Located {
    std::shared_ptr<const MappedFile> file;
    std::span<const std::byte> bytes;
  };

  Graph();
  Located locate(const onnx::TensorProto& tensor, const std::string& path);
  void take_external_data(const std::string& path);
  void place_in_file(onnx::TensorProto& tensor, const std::shared_ptr<const MappedFile>& file,
                     std::span<const std::byte> bytes);

  std::unique_ptr<onnx::ModelProto> model_;
  std::map<std::string, Weight> weights_;
  std::vector<std::shared_ptr<const MappedFile>> files_;
  std::map<std::string, std::shared_ptr<const MappedFile>> external_files_;  // by location
};

}  // namespace transmuter
