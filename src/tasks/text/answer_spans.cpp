#include "tasks/text/answer_spans.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "tensor/ops.hpp"
#include "tokenizer/lowercase.hpp"

namespace transmuter {
namespace {

/// Where an answer begins or ends: the softmax over the allowed tokens.
std::vector<float> probabilities(std::span<const float> logits, std::span<const std::uint8_t> allowed) {
  constexpr float kNever = -10000;
  std::vector<float> values(logits.begin(), logits.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (allowed[i] == 0) values[i] = kNever;
  }
  softmax(values);
  return values;
}

bool is_better(const AnswerSpan& a, const AnswerSpan& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.start != b.start ? a.start < b.start : a.end < b.end;
}

/// The tokens of the pre-tokenizer's word `word` in a sequence of a row, first and last; nothing when it has none.
struct TokenPair {
  std::size_t first;
  std::size_t last;
};
std::optional<TokenPair> tokens_of_word(const Encoding& row, std::int32_t sequence, std::int32_t word) {
  std::optional<TokenPair> found;
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (row.sequence_ids[i] != sequence || row.word_ids[i] != word) continue;
    if (!found) found = {.first = i, .last = i};
    found->last = i;
  }
  return found;
}

/// The words in which a span begins and ends, as the context has them.
std::optional<ByteRange> range_of_words(const Encoding& row, std::size_t start, std::size_t end, std::int32_t context) {
  const auto tokens = [&](std::size_t token) {
    return row.word_ids[token] < 0 ? std::nullopt : tokens_of_word(row, context, row.word_ids[token]);
  };
  const auto first = tokens(start);
  const auto last = tokens(end);
  if (!first || !last) return std::nullopt;
  return ByteRange{.start = row.offsets[first->first].start, .end = row.offsets[last->last].end};
}

/// Bytes of the context as many code points in as byte `at` is in the question.
std::size_t moved(std::size_t at, std::string_view question, std::string_view context) {
  return first_code_points(context, code_points(question.substr(0, at))).size();
}

}  // namespace

WindowAnswers answer_spans(std::span<const float> start_logits, std::span<const float> end_logits,
                           std::span<const std::uint8_t> allowed, const SpanLimits& limits) {
  WindowAnswers result;
  if (allowed.empty()) return result;
  std::vector<float> starts = probabilities(start_logits, allowed);
  std::vector<float> ends = probabilities(end_logits, allowed);
  result.null_score = starts.front() * ends.front();
  starts.front() = ends.front() = 0;
  // A heap with the worst of the best on top.
  std::vector<AnswerSpan>& spans = result.spans;
  for (std::size_t start = 0; start < starts.size(); ++start) {
    if (allowed[start] == 0 || starts[start] == 0) continue;
    const std::size_t most = std::min(limits.max_tokens, starts.size() - start);
    for (std::size_t end = start; end < start + most; ++end) {
      const AnswerSpan span{.start = start, .end = end, .score = starts[start] * ends[end]};
      if (allowed[end] == 0 || span.score == 0) continue;
      if (spans.size() == limits.count) {
        if (!is_better(span, spans.front())) continue;
        std::ranges::pop_heap(spans, is_better);
        spans.pop_back();
      }
      spans.push_back(span);
      std::ranges::push_heap(spans, is_better);
    }
  }
  std::ranges::sort_heap(spans, is_better);
  return result;
}

std::vector<std::uint8_t> allowed_tokens(const Encoding& row, const PairLayout& layout) {
  std::vector<std::uint8_t> allowed(row.length(), 1);
  if (!layout.question_first) return allowed;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    allowed[i] = row.sequence_ids[i] == layout.context() || row.ids[i] == layout.cls_id ? 1 : 0;
  }
  return allowed;
}

ByteRange context_range(const Encoding& row, const AnswerSpan& span, const PairLayout& layout, bool align_to_words,
                        std::string_view question, std::string_view context) {
  // Python takes the padding on the left off, and takes every pad token for padding.
  const auto is_pad = [&](std::int64_t id) { return !layout.question_first && id == layout.pad_id; };
  const auto shift = static_cast<std::size_t>(std::ranges::count_if(row.ids, is_pad));
  const bool is_inside = span.start >= shift && span.end >= shift;
  const auto token = [&](std::size_t index) { return index >= shift ? index - shift : index + row.length() - shift; };
  const std::size_t first = token(span.start);
  const std::size_t last = token(span.end);
  if (align_to_words && is_inside) {
    if (const auto range = range_of_words(row, first, last, layout.context())) return *range;
  }
  const auto here = [&](std::size_t at, std::size_t index) {
    return row.sequence_ids[index] == layout.context() ? at : moved(at, question, context);
  };
  return {.start = here(row.offsets[first].start, first), .end = here(row.offsets[last].end, last)};
}

void AnswerSums::add(const ByteRange& range, double score) {
  const bool is_empty = range.end <= range.start;
  const auto text = is_empty ? std::string_view() : context_.substr(range.start, range.end - range.start);
  const auto [place, is_new] = places_.try_emplace(lowercase(text), sums_.size());
  if (is_new) {
    sums_.push_back({.range = range, .score = score});
  } else {
    sums_[place->second].score += score;
  }
}

}  // namespace transmuter
