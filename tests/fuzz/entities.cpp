// A text through the word splitter, and its bytes as the scores of entities through the decoders of GLiNER. The first
// bytes choose the shape of the scores, the threshold and the rules.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "tasks/text/gliner_decoder.hpp"
#include "tasks/text/words.hpp"

namespace {

using transmuter::ByteRange;
using transmuter::LabelledWords;

void check(bool holds) {
  if (!holds) std::abort();
}

void split(std::string_view text) {
  try {
    const auto words = transmuter::split_words(text);
    std::size_t end = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      check(words[i].start >= end && words[i].end > words[i].start && words[i].end <= text.size());
      end = words[i].end;
    }
  } catch (const transmuter::Error&) {
  }
}

void decode(std::span<const std::uint8_t> data) {
  if (data.size() < 5) return;
  const std::size_t classes = 1U + data[0] % 4U;
  const std::size_t widths = 1U + data[1] % 6U;
  const double threshold = data[2] / 255.0;
  const bool flat_ner = data[3] % 2 == 0;
  const bool multi_label = data[3] % 3 == 0;
  std::vector<float> scores;
  for (const std::uint8_t byte : data.subspan(4)) scores.push_back(static_cast<float>(byte) / 255.0F);
  const auto spans_of = [&](std::size_t inner, auto&& decoder) {
    const std::size_t words = scores.size() / (inner * classes);
    const auto spans = decoder(transmuter::GlinerScores{scores, words, classes, 1 + data[4] % classes});
    for (const LabelledWords& span : spans) check(span.first <= span.last && span.last < words);
    const auto taken = transmuter::greedy_search(spans, flat_ner, multi_label);
    for (std::size_t i = 1; i < taken.size(); ++i) {
      check(taken[i - 1].first <= taken[i].first);
      const bool same = taken[i - 1].first == taken[i].first && taken[i - 1].last == taken[i].last;
      if (flat_ner) check(taken[i - 1].last < taken[i].first || (multi_label && same));
    }
  };
  spans_of(widths, [&](const auto& given) { return transmuter::spans_above(given, widths, threshold); });
  spans_of(3, [&](const auto& given) { return transmuter::token_spans_above(given, threshold); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  split({reinterpret_cast<const char*>(data), size});
  decode(std::span(data, std::min<std::size_t>(size, 512)));
  return 0;
}
