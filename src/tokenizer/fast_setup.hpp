#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/backend.hpp"
#include "tokenizer/fast_classes.hpp"
#include "tokenizer/tokenizer.hpp"

namespace transmuter {

/// What a fast tokenizer of transformers knows besides its backend.
struct FastSettings {
  std::array<std::optional<std::string>, kSpecialTokens> special_tokens;  ///< By SpecialToken.
  std::vector<std::string> additional_tokens;                             ///< additional_special_tokens
  std::vector<std::pair<std::string, std::string>> extra_tokens;          ///< extra_special_tokens
  std::optional<std::size_t> model_max_length;
  Side truncation_side = Side::Right;
  Side padding_side = Side::Right;
  std::vector<std::string> model_input_names;
  bool clean_up_spaces = false;
  std::string word_end;                               ///< decode() turns it into a space, when it is not empty.
  ProcessorRule language_rule = ProcessorRule::Keep;  ///< One of the language rules, or Keep.
  bool language_in_underscores = false;
};

/// Sets the backend up as transformers does after it read tokenizer.json.
/// Parity: transformers 4.57 PreTrainedTokenizerBase._from_pretrained, PreTrainedTokenizerFast.__init__.
FastSettings set_up(Backend& backend, const TokenizerFiles& files, const TokenizerOptions& options);

/// The post-processor that puts a language token and </s> around a text, where the settings have a language rule.
/// `code` must be a token of the tokenizer.
Json language_processor(const Backend& backend, const FastSettings& settings, std::string_view code);

}  // namespace transmuter
