#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace transmuter {

/// Where a model comes from: a repository on the Hugging Face hub, or a directory with the same files.
class Source {
 public:
  enum class Kind { Hub, Directory };

  Source(Kind kind, std::string place, std::string revision = {})
      : kind_(kind), place_(std::move(place)), revision_(std::move(revision)) {}

  Kind kind() const { return kind_; }
  const std::string& place() const { return place_; }        ///< "owner/name", or the directory.
  const std::string& revision() const { return revision_; }  ///< Empty for the hub's main branch.

 private:
  Kind kind_;
  std::string place_;
  std::string revision_;
};

/// A repository of the hub: "owner/name", with a branch, tag or commit as revision, also written "owner/name@revision".
Source hf(std::string_view repository, std::string_view revision = {});

/// A directory in the layout of a repository.
Source dir(std::string_view path);

/// What a user writes: a path that exists is a directory, everything else is a repository of the hub.
Source source_of(std::string_view repository_or_path);

/// The model that comes with the library: sentence embeddings (all-MiniLM-L6-v2, 4-bit weights).
Source builtin_model();

/// Which variant of the ONNX files to load: one name for all ("fp32", "fp16", "q8", "q4", "q4f16", ...), or one a file
/// ({{"encoder_model", "fp32"}, {"decoder_model_merged", "q4"}}).
struct Variant {
  std::string all;
  std::map<std::string, std::string> by_file;

  Variant() = default;
  template <std::convertible_to<std::string_view> Name>
  Variant(const Name& name) : all(std::string_view(name)) {}
  Variant(std::initializer_list<std::pair<const std::string, std::string>> names) : by_file(names) {}
  bool empty() const { return all.empty() && by_file.empty(); }
};

/// How far the download of one file has come.
struct DownloadProgress {
  std::string_view file;    ///< Its path in the repository.
  std::uint64_t done = 0;   ///< Bytes on disk.
  std::uint64_t total = 0;  ///< Bytes in all.
};

/// How a repository is found and loaded; the same for all tasks.
struct LoadOptions {
  Variant variant = {};
  std::string revision = {};
  std::string cache_dir = {};
  bool offline = false;
  std::string backend = "cpu";
  std::int64_t threads = 0;
  std::vector<std::string> disabled_passes = {};
  /// Called while files download, from any thread but never by two at once.
  std::function<void(const DownloadProgress&)> progress = {};
};

template <class Visit>
void describe(LoadOptions& o, Visit&& field) {
  field("variant", o.variant, "Which ONNX files to load: fp32, fp16, q8, q4, ..., or a name for each file.");
  field("revision", o.revision, "Branch, tag or commit of the repository.");
  field("cache_dir", o.cache_dir, "The hub cache; by default the one of huggingface_hub.");
  field("offline", o.offline, "Use only files that are in the cache.");
  field("backend", o.backend, "Execution provider of ONNX Runtime: cpu, cuda, openvino, webgpu, ...");
  field("threads", o.threads, "Threads of the process for model runs; 0 is the number of cores it may use.");
  field("disabled_passes", o.disabled_passes,
        "Graph rewrite passes to leave out (inspect graph lists those that apply).");
}

/// How inputs become batches; the same for all tasks.
struct CompileOptions {
  std::int64_t batch_size = 0;
  std::vector<std::int64_t> sequence_length = {};
};

template <class Visit>
void describe(CompileOptions& o, Visit&& field) {
  field("batch_size", o.batch_size,
        "The most rows of one model run; 0 lets the task choose by the length of the rows.");
  field("sequence_length", o.sequence_length,
        "One length or a list (default 32, 128, 512, limited by the model). Longer texts are cut at the largest.");
}

}  // namespace transmuter
#pragma GCC visibility pop
