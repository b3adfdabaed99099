#include <atomic>
#include <benchmark/benchmark.h>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include "serving/make_serving.hpp"

namespace transmuter {
namespace {

// A task that does nothing: what is measured is what a serving adds to it.
struct Nothing {
  using Input = int;
  using Row = int;
  using RowOutput = int;
  using Output = int;

  Work<int> prepare(const int& input) const { return {.rows = {input}, .key = {{input % 8}}}; }
  std::size_t rows_at_once(const BatchKey&) const { return 8; }
  std::vector<int> execute(Rows<int> rows) const {
    std::vector<int> outputs;
    outputs.reserve(rows.size());
    for (const int* row : rows) outputs.push_back(*row);
    return outputs;
  }
  int finish(const int&, std::span<const int>, std::span<int> outputs) const { return outputs.front(); }
};

void run_one(benchmark::State& state) {
  const auto serving = make_serving(Nothing{});
  for (auto step : state) benchmark::DoNotOptimize(serving.run(1));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(run_one);

void run_list(benchmark::State& state) {
  const auto serving = make_serving(Nothing{}, {.workers = 2, .rows_in_flight = 2048});
  std::vector<int> inputs(10000);
  std::iota(inputs.begin(), inputs.end(), 0);
  for (auto step : state) benchmark::DoNotOptimize(serving.run(std::span<const int>(inputs)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(inputs.size()));
}
BENCHMARK(run_list)->UseRealTime();

// The argument is the number of callers, each with one input at a time.
void run_started(benchmark::State& state) {
  constexpr int kInputs = 10000;
  const auto serving = make_serving(Nothing{}, {.workers = 2});
  const auto batched = serving.start();
  for (auto step : state) {
    std::atomic<int> next = 0;
    std::vector<std::jthread> callers;
    for (std::int64_t caller = 0; caller < state.range(0); ++caller) {
      callers.emplace_back([&] {
        for (int i = next++; i < kInputs; i = next++) benchmark::DoNotOptimize(batched.run(i));
      });
    }
  }
  state.SetItemsProcessed(state.iterations() * kInputs);
}
BENCHMARK(run_started)->Arg(1)->Arg(64)->UseRealTime();

}  // namespace
}  // namespace transmuter
