#include "tasks/text/gliner_decoder.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>

namespace transmuter {
namespace {

bool overlap(const LabelledWords& a, const LabelledWords& b) { return a.first <= b.last && b.first <= a.last; }

bool nested(const LabelledWords& a, const LabelledWords& b) {
  return (a.first <= b.first && a.last >= b.last) || (b.first <= a.first && b.last >= a.last);
}

std::uint64_t words_of(const LabelledWords& span) { return (std::uint64_t{span.first} << 32U) | span.last; }

/// The words that begin or end a label, in the order of their numbers.
std::vector<std::uint32_t> ends_above(const GlinerScores& given, std::size_t label, float threshold) {
  std::vector<std::uint32_t> words;
  for (std::size_t word = 0; word < given.words; ++word) {
    if (given.scores[(word * given.classes + label) * 3 + 1] > threshold) words.push_back(std::uint32_t(word));
  }
  return words;
}

}  // namespace

// Scores are compared as PyTorch compares a float32 tensor with a Python number: after rounding that to float32.
std::vector<LabelledWords> spans_above(const GlinerScores& given, std::size_t widths, double threshold) {
  const auto least = static_cast<float>(threshold);
  std::vector<LabelledWords> spans;
  for (std::size_t first = 0; first < given.words; ++first) {
    const std::size_t inside = std::min(widths, given.words - first);
    for (std::size_t width = 0; width < inside; ++width) {
      const auto scores = given.scores.subspan((first * widths + width) * given.classes, given.labels);
      for (std::size_t label = 0; label < scores.size(); ++label) {
        if (scores[label] <= least) continue;
        spans.push_back({std::uint32_t(first), std::uint32_t(first + width), std::uint32_t(label), scores[label]});
      }
    }
  }
  return spans;
}

std::vector<LabelledWords> token_spans_above(const GlinerScores& given, double threshold) {
  enum Part : std::size_t { Begin, End, Inside };
  const auto least = static_cast<float>(threshold);
  const auto score = [&](std::size_t word, std::size_t label, Part part) {
    return given.scores[(word * given.classes + label) * 3 + part];
  };
  std::vector<std::vector<std::uint32_t>> ends;
  for (std::size_t label = 0; label < given.labels; ++label) ends.push_back(ends_above(given, label, least));
  std::vector<LabelledWords> spans;
  for (std::size_t first = 0; first < given.words; ++first) {
    for (std::size_t label = 0; label < given.labels; ++label) {
      const float begin = score(first, label, Begin);
      if (begin <= least) continue;
      float lowest = begin;
      std::size_t word = first;
      const auto after = std::ranges::lower_bound(ends[label], std::uint32_t(first));
      for (auto last = after; last != ends[label].end(); ++last) {
        bool goes_on = true;
        for (; word <= *last && goes_on; ++word) {
          const float inside = score(word, label, Inside);
          // These are Python numbers there, so the threshold is not rounded.
          goes_on = static_cast<double>(inside) >= threshold;
          lowest = std::min(lowest, inside);
        }
        if (!goes_on) break;
        const float whole = std::min(lowest, score(*last, label, End));
        spans.push_back({std::uint32_t(first), *last, std::uint32_t(label), whole});
      }
    }
  }
  return spans;
}

std::vector<LabelledWords> greedy_search(std::vector<LabelledWords> spans, bool flat_ner, bool multi_label) {
  std::ranges::stable_sort(spans, std::greater{}, &LabelledWords::score);
  // The fate of words does not change once it is known: what was taken stays, and with it what it is in the way of.
  std::unordered_map<std::uint64_t, bool> fates;
  std::vector<LabelledWords> different;  // the taken ones, each pair of ends once
  std::vector<LabelledWords> taken;
  const auto is_in_the_way = [&](const LabelledWords& span, const LabelledWords& other) {
    return overlap(span, other) && (flat_ner || !nested(span, other));
  };
  for (const LabelledWords& span : spans) {
    const auto [fate, is_new] = fates.try_emplace(words_of(span), false);
    if (is_new) {
      fate->second = std::ranges::none_of(different, [&](const auto& other) { return is_in_the_way(span, other); });
      if (fate->second) different.push_back(span);
    } else if (!multi_label) {
      continue;
    }
    if (fate->second) taken.push_back(span);
  }
  std::ranges::stable_sort(taken, {}, &LabelledWords::first);
  return taken;
}

}  // namespace transmuter
