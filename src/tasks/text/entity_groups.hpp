#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "transmuter/results.hpp"
#include "transmuter/text.hpp"

// From the scores of tokens to entities, without a model or a tokenizer.

namespace transmuter {

/// What a token is to the words of its text.
enum class TokenRole : std::uint8_t {
  Special,    ///< Not of the text: it has no label.
  Start,      ///< Begins a word, or stands alone.
  Continues,  ///< Goes on with the word of the token before it.
};

/// Tokens `first` to `last` (excluded) of a row, and the label that they have.
struct LabelledTokens {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t label = 0;
  float score = 0;

  bool operator==(const LabelledTokens&) const = default;
};

/// The label of each token, or of each word, from logits [roles.size(), labels].
/// Parity: transformers 4.57 TokenClassificationPipeline.aggregate, aggregate_words and aggregate_word.
std::vector<LabelledTokens> label_tokens(std::span<const float> logits, std::span<const TokenRole> roles,
                                         Aggregation aggregation);

/// What grouping reads of a label's name.
struct LabelTag {
  bool begins = false;  ///< "B-PER": never goes on with what stands before it.
  std::string tag;      ///< "PER" of "B-PER" and "I-PER"; else the name.
  std::string group;    ///< What the group is called: the name after its first "-".
};

/// Parity: transformers 4.57 TokenClassificationPipeline.get_tag and group_sub_entities.
LabelTag label_tag(const std::string& name);

/// Neighbours of one entity: spans `first` to `last` (excluded) of a list of LabelledTokens, with their mean score.
struct SpanGroup {
  std::size_t first = 0;
  std::size_t last = 0;
  float score = 0;

  bool operator==(const SpanGroup&) const = default;
};

/// `tags` is by label. Parity: transformers 4.57 TokenClassificationPipeline.group_entities.
std::vector<SpanGroup> group_spans(std::span<const LabelledTokens> spans, std::span<const LabelTag> tags);

/// Of entities of different windows that overlap, the longest in code points, or else the surest, in the order of the
/// text. Offsets are in bytes. Parity: transformers 4.57 TokenClassificationPipeline.aggregate_overlapping_entities.
std::vector<Entity> without_overlaps(std::vector<Entity> entities, const CodePointIndex& points);

}  // namespace transmuter
