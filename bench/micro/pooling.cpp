#include "tensor/pooling.hpp"

#include <array>
#include <benchmark/benchmark.h>
#include <vector>

#include "tensor/ops.hpp"

namespace transmuter {
namespace {

// Mean pooling and normalization of a text; the argument is the number of tokens.
void mean_pooling(benchmark::State& state) {
  constexpr std::size_t kDimensions = 384;
  const auto tokens = static_cast<std::size_t>(state.range(0));
  const std::vector<float> values(tokens * kDimensions, 0.5F);
  const std::array modes = {PoolingMode::Mean};
  for (auto step : state) {
    auto embedding = pool({.values = values, .tokens = tokens, .dimensions = kDimensions}, modes);
    l2_normalize(embedding);
    benchmark::DoNotOptimize(embedding);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(values.size() * sizeof(float)));
}
BENCHMARK(mean_pooling)->Arg(16)->Arg(382);

}  // namespace
}  // namespace transmuter
