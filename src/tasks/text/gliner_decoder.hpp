#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace transmuter {

/// Words `first` to `last` (included) with a label, by their numbers.
struct LabelledWords {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t label = 0;
  float score = 0;

  bool operator==(const LabelledWords&) const = default;
};

/// What a model gives for one text. `classes` may be more than the labels that were asked for: a label may look like
/// the prompt's own token, and then those behind the last label are nobody's.
struct GlinerScores {
  std::span<const float> scores;  ///< Probabilities, row-major; see the decoders for their shape.
  std::size_t words = 0;
  std::size_t classes = 0;
  std::size_t labels = 0;
};

/// All spans inside the text with a score above the threshold, by first word, width, label.
/// `scores` are [words, widths, classes]: the span of width w has w + 1 words.
/// Parity: gliner 0.2.29 BaseSpanDecoder._decode_batch_item.
std::vector<LabelledWords> spans_above(const GlinerScores& scores, std::size_t widths, double threshold);

/// All spans from a word that begins a label to one that ends it, both above the threshold, with no word inside below
/// it; by first word, label, last word. The score is the lowest of all of these. `scores` are [words, classes, 3]:
/// begin, end, inside.
/// Parity: gliner 0.2.29 TokenDecoder._calculate_span_score.
std::vector<LabelledWords> token_spans_above(const GlinerScores& scores, double threshold);

/// Takes spans by score, the highest first and equal ones in their order, unless one that was taken is in the way: any
/// overlap, or only one that is not nested when `flat_ner` is false; the same words with another label unless
/// `multi_label`. Gives them by first word, and by score within one.
/// Parity: gliner 0.2.29 BaseDecoder.greedy_search.
std::vector<LabelledWords> greedy_search(std::vector<LabelledWords> spans, bool flat_ner, bool multi_label);

}  // namespace transmuter
