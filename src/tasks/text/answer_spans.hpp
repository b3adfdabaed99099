#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tokenizer/tokenizer.hpp"

// From the logits of a window to the parts of the context that may be the answer, without a model.

namespace transmuter {

/// Tokens `start` to `end` (both part of it) of a window, and how likely they are the answer.
struct AnswerSpan {
  std::size_t start = 0;
  std::size_t end = 0;
  float score = 0;

  bool operator==(const AnswerSpan&) const = default;
};

/// What a window says.
struct WindowAnswers {
  std::vector<AnswerSpan> spans;  ///< The best ones, the best first.
  float null_score = 0;           ///< How likely it is that the window has no answer.
};

/// Which spans count.
struct SpanLimits {
  std::size_t max_tokens = 15;  ///< Of one span.
  std::size_t count = 1;        ///< Of one window.
};

/// The best spans of allowed tokens. Spans of no probability at all are left out: Python fills up with them at random.
/// Parity: transformers 4.57 question_answering select_starts_ends and decode_spans.
WindowAnswers answer_spans(std::span<const float> start_logits, std::span<const float> end_logits,
                           std::span<const std::uint8_t> allowed, const SpanLimits& limits);

/// How a tokenizer puts a question and its context into a row.
struct PairLayout {
  /// Parity: transformers 4.57 QuestionAnsweringPipeline.preprocess: as the side says on which the tokenizer pads.
  bool question_first = true;
  std::optional<std::int64_t> cls_id = std::nullopt;
  std::optional<std::int64_t> pad_id = std::nullopt;

  std::int32_t context() const { return question_first ? 1 : 0; }
};

/// 1 for the tokens of a row that an answer may have: those of the context and [CLS]; all when the context is first.
/// Parity: transformers 4.57 QuestionAnsweringPipeline.preprocess, p_mask.
std::vector<std::uint8_t> allowed_tokens(const Encoding& row, const PairLayout& layout);

/// The part of the context, in bytes, where a span lies; grown to whole words when `align_to_words` and both ends are
/// in words. Parity: transformers 4.57 QuestionAnsweringPipeline.postprocess and get_indices.
ByteRange context_range(const Encoding& row, const AnswerSpan& span, const PairLayout& layout, bool align_to_words,
                        std::string_view question, std::string_view context);

/// Answers of all windows: equal texts, in any case, are one answer with the sum of the scores.
/// Parity: transformers 4.57 QuestionAnsweringPipeline.postprocess and get_answer.
class AnswerSums {
 public:
  struct Sum {
    ByteRange range;  ///< Of the first one.
    double score = 0;
  };

  explicit AnswerSums(std::string_view context) : context_(context) {}
  void add(const ByteRange& range, double score);
  /// In the order in which they came.
  std::vector<Sum> take() { return std::move(sums_); }

 private:
  std::string_view context_;
  std::vector<Sum> sums_;
  std::unordered_map<std::string, std::size_t> places_;  // of lower-case texts in sums_
};

}  // namespace transmuter
