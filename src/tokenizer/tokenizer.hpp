#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transmuter/results.hpp"

namespace transmuter {

/// Bytes `start` to `end` (excluded) of a text.
struct ByteRange {
  std::size_t start = 0;
  std::size_t end = 0;

  bool operator==(const ByteRange&) const = default;
};

/// The tokens of one row. All lists have the same length; the attention mask would be ones throughout.
struct Encoding {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> type_ids;
  /// Where each token lies in its text, or in its word when the text came split; {0, 0} for added tokens.
  std::vector<ByteRange> offsets;
  std::vector<std::int32_t> word_ids;             ///< The pre-tokenizer's word (or the caller's), -1 for added tokens.
  std::vector<std::int32_t> sequence_ids;         ///< 0 for the first text, 1 for the second, -1 for added tokens.
  std::vector<std::uint8_t> special_tokens_mask;  ///< 1 for tokens that were added to the texts.

  std::size_t length() const { return ids.size(); }
};

enum class Side { Right, Left };
enum class TruncationStrategy {
  LongestFirst,
  OnlyFirst,
  OnlySecond,
  OnlyFirstOrNone,  ///< Cuts nothing where the second text alone leaves no room.
};

struct EncodeOptions {
  bool add_special_tokens = true;
  /// Tokens of a row, the special ones included; nothing: no cut.
  std::optional<std::size_t> max_length = std::nullopt;
  TruncationStrategy truncation = TruncationStrategy::LongestFirst;
  /// Where tokens are cut off; the tokenizer's own side by default.
  std::optional<Side> truncation_side = std::nullopt;
  /// Tokens that neighbouring windows share; only for windows().
  std::size_t stride = 0;
  OffsetUnit offsets = OffsetUnit::Bytes;
};

/// One text, or the words of a text that was split already (transformers: is_split_into_words). Refers to the caller's.
class TextInput {
 public:
  TextInput(std::string_view text) : text_(text) {}
  TextInput(const std::string& text) : text_(text) {}
  TextInput(const char* text) : text_(text) {}
  TextInput(std::span<const std::string> words) : words_(words), split_(true) {}
  TextInput(const std::vector<std::string>& words) : TextInput(std::span<const std::string>(words)) {}

  bool is_split() const { return split_; }
  std::string_view text() const { return text_; }
  std::span<const std::string> words() const { return words_; }

 private:
  std::string_view text_;
  std::span<const std::string> words_;
  bool split_ = false;
};

enum class SpecialToken { Bos, Eos, Unk, Sep, Pad, Cls, Mask };

/// The key in tokenizer_config.json, as in "mask_token".
std::string_view name(SpecialToken token);

struct AddedToken {
  std::int64_t id = 0;
  std::string content;
  bool single_word = false;
  bool lstrip = false;
  bool rstrip = false;
  bool normalized = true;
  bool special = false;
};

/// The texts of a repository's files; all but tokenizer.json may be missing.
struct TokenizerFiles {
  std::string tokenizer = {};
  std::optional<std::string> tokenizer_config = std::nullopt;
  std::optional<std::string> special_tokens_map = std::nullopt;
  std::optional<std::string> added_tokens = std::nullopt;
  /// Names the tokenizer's class when tokenizer_config.json does not.
  std::optional<std::string> config = std::nullopt;
};

struct TokenizerOptions {
  /// Lower-case the text before everything else (sentence-transformers: do_lower_case).
  bool lower_case = false;
  /// Takes the place of tokenizer_config.json's, as an argument of from_pretrained does.
  std::optional<bool> add_prefix_space = std::nullopt;
};

/// A tokenizer of Hugging Face, with the settings that transformers gives a fast tokenizer on load.
/// Never changes; copies share everything; any number of threads may use one at the same time.
/// Parity: tokenizers 0.22.2, transformers 4.57 PreTrainedTokenizerFast and its subclasses.
class Tokenizer {
 public:
  /// Throws InvalidModel with the file's name when a file is broken.
  explicit Tokenizer(const TokenizerFiles& files, const TokenizerOptions& options = {});

  /// The tokens of a text or a pair, cut to `max_length` when that is given.
  /// Throws InvalidInput with the byte position when a text is not valid UTF-8, and when the cut is not possible.
  Encoding encode(const TextInput& text, const EncodeOptions& options = {}) const;
  Encoding encode(const TextInput& text, const TextInput& pair, const EncodeOptions& options = {}) const;

  /// encode(text, each of `pairs`), with the tokens of `text` looked for only once. An error does not tell which of
  /// them is wrong.
  std::vector<Encoding> encode_pairs(const TextInput& text, std::span<const std::string> pairs,
                                     EncodeOptions options = {}) const;

  /// As encode(), but with the tokens that are cut off in further rows of at most `max_length` tokens; each begins with
  /// the last `stride` tokens of the one before (transformers: return_overflowing_tokens).
  std::vector<Encoding> windows(const TextInput& text, const EncodeOptions& options) const;
  std::vector<Encoding> windows(const TextInput& text, const TextInput& pair, const EncodeOptions& options) const;

  /// The text of ids; ids that the vocabulary does not have are left out. `clean_up_spaces` takes the spaces before
  /// punctuation and English contractions off; tokenizer_config.json's word by default.
  std::string decode(std::span<const std::int64_t> ids, bool skip_special_tokens = false,
                     std::optional<bool> clean_up_spaces = std::nullopt) const;

  /// The decoder's text of tokens (transformers: convert_tokens_to_string).
  std::string join(std::span<const std::string> tokens) const;

  std::optional<std::int64_t> find_id(std::string_view token) const;
  /// The id of `token`, or else of the unknown token (transformers: convert_tokens_to_ids). Throws InvalidInput when
  /// there is neither.
  std::int64_t id_of(std::string_view token) const;
  std::optional<std::string> find_token(std::int64_t id) const;

  std::size_t vocab_size() const;                       ///< With the added tokens (Python: len(tokenizer)).
  std::size_t added_count(bool pair = false) const;     ///< Special tokens that encode() adds to a text or a pair.
  const std::vector<AddedToken>& added_tokens() const;  ///< By id.

  std::optional<std::string> special_token(SpecialToken token) const;
  std::optional<std::int64_t> special_id(SpecialToken token) const;
  /// "bos_token" and so on with their tokens, those of extra_special_tokens ("image_token") too; for chat templates.
  const std::vector<std::pair<std::string, std::string>>& special_tokens_map() const;
  /// Ids of all special tokens, the additional ones included, sorted (transformers: all_special_ids).
  const std::vector<std::int64_t>& special_ids() const;

  /// Tokens that the model takes; nothing when no file limits it.
  std::optional<std::size_t> model_max_length() const;
  Side truncation_side() const;
  Side padding_side() const;
  const std::vector<std::string>& model_input_names() const;
  /// "WordPiece", "BPE", "Unigram" or "WordLevel".
  const std::string& model_type() const;
  /// What the pieces inside a word begin with, as in "##"; empty when the model has no such thing.
  const std::string& continuing_subword_prefix() const;

  /// The same tokenizer for another source language of a translation model (NLLB, mBART, SeamlessM4T); `code` is a
  /// token as in "fra_Latn". Throws InvalidInput for an unknown language and Unsupported for other tokenizers.
  /// Parity: transformers 4.57 NllbTokenizerFast.set_src_lang_special_tokens and its like.
  Tokenizer with_source_language(std::string_view code) const;

 private:
  struct State;
  explicit Tokenizer(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::vector<Encoding> rows(const TextInput& text, const TextInput* pair, EncodeOptions options, bool windows) const;

  std::shared_ptr<const State> state_;
};

}  // namespace transmuter
