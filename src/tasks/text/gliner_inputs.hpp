#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/signature.hpp"
#include "tasks/text/gliner_config.hpp"
#include "text_model/text_model.hpp"

namespace transmuter {

/// A text with its labels as a GLiNER model reads it.
struct GlinerRow {
  Encoding encoding;                     ///< Of prompt and text.
  std::vector<std::int64_t> words_mask;  ///< One a token; see words_mask().
  std::vector<ByteRange> words;          ///< Of the text.
  std::vector<std::string> labels;       ///< Each once.
};

/// The inputs of GLiNER models beside those of a text encoder: words_mask, text_lengths, and for models that score
/// spans span_idx and span_mask.
std::span<const OtherInput> gliner_inputs();

/// Whether a graph is one of a GLiNER model that is run here.
bool is_gliner(const Signature& signature);

/// The value of one of the gliner_inputs() for rows that are padded to `row_count` rows of `length` tokens.
/// `max_width`: see GlinerConfig. Parity: gliner 0.2.29 UniEncoderSpanProcessor.
Tensor fill_gliner_input(std::string_view name, std::span<const GlinerRow* const> rows, std::size_t row_count,
                         std::size_t length, std::size_t max_width);

/// The words of the longest row.
std::size_t most_words(std::span<const GlinerRow* const> rows);

}  // namespace transmuter
