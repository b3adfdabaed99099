#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.hpp"
#include "base/json.hpp"
#include "transmuter/serving.hpp"
#include "transmuter/source.hpp"

namespace transmuter {

/// The result of any task.
class AnyResult {
 public:
  virtual ~AnyResult() = default;
  virtual Json json(const TensorWriter& writer) const = 0;
};

/// A started task whose inputs are JSON values, for the command line and the server.
class AnyBatched {
 public:
  class Pending {
   public:
    virtual ~Pending() = default;
    virtual std::unique_ptr<const AnyResult> get() = 0;  ///< Once. Throws what the input's run throws.
  };

  virtual ~AnyBatched() = default;
  virtual std::unique_ptr<Pending> submit(const Json& input, std::stop_token stop = {}) = 0;
  virtual Metrics metrics() const = 0;
};

/// A loaded task whose inputs are JSON values.
class AnyServing {
 public:
  virtual ~AnyServing() = default;
  virtual std::unique_ptr<const AnyResult> run(const Json& input) const = 0;
  /// The results of a list, in its order.
  virtual std::vector<std::unique_ptr<const AnyResult>> run(std::span<const Json> inputs) const = 0;
  virtual std::unique_ptr<AnyBatched> start(const BatchOptions& options) const = 0;
};

/// Told of downloads; may be empty.
using Progress = std::function<void(const DownloadProgress&)>;

/// One row of the table of tasks.
struct Task {
  std::string_view name;                  ///< As the C++ function: "text_embedding".
  std::string_view modality;              ///< "text", "vision" or "audio".
  std::string_view description;           ///< One line for people.
  std::vector<std::string_view> aliases;  ///< Pipeline names of transformers: "feature-extraction".
  std::string_view default_repository;    ///< Used when the user names none; empty for the built-in model.
  std::vector<FieldHelp> options;
  std::vector<FieldHelp> inputs;  ///< Empty: an input is one text.
  bool takes_text;                ///< Whether a text alone can be an input.
  std::unique_ptr<AnyServing> (*open)(const Source& source, const Json& options, const Progress& progress);
};

/// All tasks.
std::span<const Task> tasks();

/// By name, name with hyphens, or alias. Throws InvalidInput with the nearest name.
const Task& find_task(std::string_view name);

/// "text-embedding"
std::string command_name(const Task& task);

}  // namespace transmuter
