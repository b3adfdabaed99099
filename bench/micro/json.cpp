#include "base/json.hpp"

#include <array>
#include <benchmark/benchmark.h>
#include <cmath>
#include <vector>

namespace transmuter {
namespace {

// One embedding as a program reads it from `transmuter run text-embedding`.
void write_embedding(benchmark::State& state) {
  std::vector<float> values(384);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i)) / 20;
  const std::array<std::int64_t, 1> shape = {static_cast<std::int64_t>(values.size())};
  for (auto step : state) {
    benchmark::DoNotOptimize(Json::object({{"embedding", Json::nested(values, shape)}}).dump());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(write_embedding);

}  // namespace
}  // namespace transmuter
