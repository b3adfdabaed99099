#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/text/gliner_config.hpp"
#include "tokenizer/tokenizer.hpp"

namespace transmuter {

/// Each label once, at its first place. Parity: gliner 0.2.29 make_mapping.
std::vector<std::string> without_repeats(std::span<const std::string> labels);

/// The words that a model reads: its prompt, then the words of the text. A label is one word, whatever is in it.
struct GlinerWords {
  std::vector<std::string> words;
  std::size_t prompt_size = 0;  ///< How many of them are the prompt.
};

/// Parity: gliner 0.2.29 BaseProcessor.prepare_inputs: "<<ENT>> label <<ENT>> label <<SEP>> words"; an empty label has
/// its ent_token only.
GlinerWords words_with_prompt(std::span<const std::string> labels, std::string_view text,
                              std::span<const ByteRange> words, const GlinerConfig& config);

/// For each token the number of its word in the text, from 1; 0 for the prompt, added tokens and tokens that do not
/// stand for their word. `word_ids` are those of an Encoding. Words without tokens are not counted, neither those of
/// the prompt nor those of the text. Parity: gliner 0.2.29 prepare_word_mask.
std::vector<std::int64_t> words_mask(std::span<const std::int32_t> word_ids, std::size_t prompt_size,
                                     SubtokenPooling pooling);

}  // namespace transmuter
