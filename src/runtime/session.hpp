#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/signature.hpp"
#include "tensor/tensor.hpp"

namespace transmuter {

struct SessionOptions {
  std::string backend = "cpu";
  /// Threads of a run that is alone in the process, 0 for all cores; runs side by side have one each.
  std::int64_t threads = 0;
  std::vector<std::string> disabled_passes = {};
};

/// A loaded graph, ready to run from many threads at once. Weights are in memory once.
class Session {
 public:
  /// The value of an input.
  struct Feed {
    const char* name;
    const Tensor* tensor;
  };

  /// Reads the file and its external data, rewrites the graph, and checks it with ONNX Runtime.
  /// Throws NotFound, InvalidModel, InvalidInput (an option), Backend.
  static std::shared_ptr<const Session> open(const std::string& path, const SessionOptions& options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Signature& signature() const;
  const std::string& path() const;
  /// Whether the graph computes one scale for a whole activation, so that the rows of a batch change each other.
  bool quantizes_activations() const;

  /// Gives the named outputs, in their order. Throws Backend with what ONNX Runtime says; Cancelled after a stop.
  std::vector<Tensor> run(std::span<const Feed> inputs, std::span<const std::string> outputs,
                          const std::stop_token& stop = {}) const;

 private:
  friend class Binding;
  struct State;
  explicit Session(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Inputs and outputs of a session that stay bound from run to run, so that a loop neither allocates nor copies what it
/// keeps: an output may be written where the next run reads it. For one thread at a time.
class Binding {
 public:
  explicit Binding(std::shared_ptr<const Session> session);
  ~Binding();
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

  /// Each run reads the tensor, until another one is bound to this input; it must live as long.
  /// Throws Internal when the graph has no such input of the tensor's dtype.
  void bind_input(std::string_view name, const Tensor& tensor);

  /// Each run writes into the tensor, until another one is bound to this output; it must live as long, and have the
  /// shape that the run gives. Throws Internal when the graph has no such output of the tensor's dtype.
  void bind_output(std::string_view name, Tensor& tensor);

  /// Throws Backend with what ONNX Runtime says, as when an input is not bound; Cancelled after a stop.
  void run(const std::stop_token& stop = {});

 private:
  struct Bound;

  std::shared_ptr<const Session> session_;
  std::unique_ptr<Bound> inputs_;
  std::unique_ptr<Bound> outputs_;
};

}  // namespace transmuter
