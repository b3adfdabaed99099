#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "tokenizer/tokenizer.hpp"

namespace transmuter {

inline constexpr std::size_t kSpecialTokens = 7;  // as in SpecialToken

/// Which settings of the normalizer a class sets again on load.
enum class NormalizerRule {
  Keep,
  Bert,                ///< do_lower_case, strip_accents and tokenize_chinese_chars
  BertWithoutChinese,  ///< do_lower_case and strip_accents
};

/// How a class makes the post-processor anew on load.
enum class ProcessorRule {
  Keep,
  Offsets,        ///< sets add_prefix_space and trim_offsets where the post-processor has them
  Bos,            ///< bos and eos, as add_bos_token (true when absent) and add_eos_token (false) say
  NoBos,          ///< the same, but add_bos_token is false when absent
  LanguageLast,   ///< text </s> language
  LanguageFirst,  ///< language text </s>
  Nllb,           ///< LanguageLast with legacy_behaviour, else LanguageFirst
};

/// What becomes of the pre-tokenizer's add_prefix_space.
enum class PrefixSpace {
  Set,      ///< takes tokenizer_config.json's value, false when absent; not inside a Sequence
  SetDeep,  ///< the same; true reaches the parts of a Sequence and the decoder too
  Keep,
};

/// How a special token that is a plain string becomes an added token.
enum class Wrap {
  None,
  Plain,           ///< not normalized
  Left,            ///< not normalized, takes the spaces before it
  LeftNormalized,  ///< takes the spaces before it
};

using SpecialTexts = std::array<std::string_view, kSpecialTokens>;
using Wraps = std::array<Wrap, kSpecialTokens>;

/// What transformers does when it makes a fast tokenizer of a class from a tokenizer.json. Additional special tokens
/// that some classes add ("<extra_id_0>", language codes) are left out: their tokenizer.json files have them.
struct FastClass {
  std::string_view names;        ///< Without "Fast", separated by spaces.
  std::string_view model_types;  ///< Values of config.json's model_type that mean this class, separated by spaces.
  SpecialTexts tokens{};         ///< Default special tokens, empty for none.
  Wraps wraps{};
  std::string_view inputs = "input_ids token_type_ids attention_mask";  ///< model_input_names
  NormalizerRule normalizer = NormalizerRule::Keep;
  ProcessorRule processor = ProcessorRule::Keep;
  PrefixSpace prefix_space = PrefixSpace::Set;
  Side padding_side = Side::Right;
  std::string_view language{};        ///< Default source language.
  bool suffix_becomes_space = false;  ///< decode() turns the model's end_of_word_suffix into a space.
};

/// The row of a class (with or without "Fast" in its name). A class that the table does not have keeps tokenizer.json
/// as it is.
const FastClass& fast_class(std::string_view name);

/// The row of the class that AutoTokenizer takes for a model_type.
const FastClass& fast_class_of_model(std::string_view model_type);

}  // namespace transmuter
