#include "runtime/passes/passes.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace transmuter {
namespace {

constexpr Pass kPasses[] = {
    {"float16_to_float32",
     "Computes in float32 what a file keeps in float16; CPUs convert around each operator otherwise.", "cpu",
     float16_to_float32},
    {"uint8_weights_to_int8",
     "Shifts uint8 weights of integer products to int8, which AVX-512 VNNI and AMX multiply faster.", "cpu",
     uint8_weights_to_int8},
};

std::string known_names() {
  std::string names;
  for (const Pass& pass : kPasses) names += (names.empty() ? "" : ", ") + std::string(pass.name);
  return names;
}

}  // namespace

std::span<const Pass> passes() { return kPasses; }

void check_pass_names(std::span<const std::string> disabled) {
  for (const std::string& name : disabled) {
    if (std::ranges::find(kPasses, name, &Pass::name) == std::end(kPasses)) {
      fail(ErrorCode::InvalidInput, "disabled_passes: there is no pass \"{}\"; there are {}", name, known_names());
    }
  }
}

std::vector<Applied> rewrite(Graph& graph, std::string_view backend, std::span<const std::string> disabled) {
  std::vector<Applied> applied;
  for (const Pass& pass : kPasses) {
    if (pass.backend != backend || std::ranges::find(disabled, pass.name) != disabled.end()) continue;
    if (const std::size_t places = pass.apply(graph); places != 0) applied.push_back({pass.name, places});
  }
  return applied;
}

}  // namespace transmuter
