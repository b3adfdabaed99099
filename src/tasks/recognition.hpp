#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "repository/repository.hpp"
#include "runtime/signature.hpp"

namespace transmuter {

/// An output of a graph and how many dimensions it has.
struct OutputSign {
  std::string_view name;
  std::size_t rank;
};

/// How one sees that a task can run a repository, and what the task needs of it.
struct Signs {
  std::string_view task;
  std::vector<std::string_view> stems = {};          ///< Its ONNX graphs: "model".
  std::vector<std::string_view> files = {};          ///< What else must be there: "tokenizer.json".
  bool (*takes)(const Signature&) = nullptr;         ///< Whether it can fill the inputs of the first graph,
  std::vector<OutputSign> outputs;                   ///< which has one of these outputs.
  std::vector<std::string_view> architectures = {};  ///< Without a graph: how a class in config.json ends,
  std::vector<std::string_view> marks = {};          ///< or a file that only such repositories have.
  bool (*fits)(const Json& config) = nullptr;        ///< What else config.json must say, with a graph or without.
  void (*fetch)(const Repository&) = nullptr;        ///< Fetches what it reads in other places.
  /// Graphs of other tasks have such outputs too: only the class in config.json tells.
  bool needs_architecture = false;
};

/// A row for each task.
std::span<const Signs> task_signs();

/// Inputs and outputs of graphs, by stem.
using Signatures = std::map<std::string, Signature, std::less<>>;

/// The tasks that can run a repository. `graphs` has those of its graphs that are at hand.
std::vector<const Signs*> recognize_tasks(const Repository& repository, const Signatures& graphs = {});

}  // namespace transmuter
