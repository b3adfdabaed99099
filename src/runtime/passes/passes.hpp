#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transmuter {

class Graph;

/// A rewrite of a graph at load. It keeps the values within the tolerances of the task, and can be turned off by name.
struct Pass {
  std::string_view name;
  std::string_view description;
  std::string_view backend;      ///< The one that it helps.
  std::size_t (*apply)(Graph&);  ///< Returns how many places it changed.
};

/// All passes, in the order in which they run.
std::span<const Pass> passes();

/// A pass that changed a graph, and in how many places.
struct Applied {
  std::string_view name;
  std::size_t places;
};

/// Throws InvalidInput, with the names there are, for one that is no pass.
void check_pass_names(std::span<const std::string> disabled);

/// Runs the passes of a backend but the `disabled` ones.
std::vector<Applied> rewrite(Graph& graph, std::string_view backend, std::span<const std::string> disabled);

// One function a pass, each in a file of its own.
std::size_t float16_to_float32(Graph& graph);
std::size_t uint8_weights_to_int8(Graph& graph);

}  // namespace transmuter
