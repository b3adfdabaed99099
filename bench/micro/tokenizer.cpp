#include <benchmark/benchmark.h>
#include <string>

#include "text_model/text_model.hpp"

namespace transmuter {
namespace {

std::string words(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += i % 2 == 0 ? "transmuting " : "lead ";
  return text;
}

// The argument is the number of words.
void tokenize(benchmark::State& state) {
  const auto repository = Repository::open(dir(TRANSMUTER_MODELS "/all-MiniLM-L6-v2"), {});
  const Tokenizer tokenizer = open_tokenizer(repository, {});
  const std::string text = words(state.range(0));
  for (auto step : state) benchmark::DoNotOptimize(tokenizer.encode(text, {.max_length = 512}));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(tokenize)->Arg(12)->Arg(380);

}  // namespace
}  // namespace transmuter
