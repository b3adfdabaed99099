#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <transmuter_rust.h>
#include <vector>

#include "base/json.hpp"
#include "tokenizer/tokenizer.hpp"

namespace transmuter {

/// The Rust tokenizer behind C++ types. Only while it is being set up are its non-const functions called.
class Backend {
 public:
  /// Throws InvalidModel when `json` is not a tokenizer.json.
  explicit Backend(std::string_view json);

  /// A part as JSON, null when there is none.
  Json part(tmr_part part) const;
  void set_part(tmr_part part, const Json& json);
  void add_tokens(const std::vector<AddedToken>& tokens);
  void split_special_tokens();
  /// Shares everything but the post-processor.
  Backend with_post_processor(const Json& json) const;

  std::vector<AddedToken> added_tokens() const;  ///< By id.
  std::size_t vocab_size() const;
  std::size_t added_count(bool pair) const;
  std::optional<std::int64_t> find_id(std::string_view token) const;
  std::optional<std::string> find_token(std::int64_t id) const;

  /// The first row only, unless `windows`. The options' truncation side must be given.
  std::vector<Encoding> encode(const TextInput& text, const TextInput* pair, const EncodeOptions& options,
                               bool windows) const;
  /// One row for each of `seconds`. The options' truncation side must be given.
  std::vector<Encoding> encode_pairs(const TextInput& first, std::span<const std::string> seconds,
                                     const EncodeOptions& options) const;
  std::string decode(std::span<const std::int64_t> ids, bool skip_special_tokens) const;
  std::string join(std::span<const std::string> tokens) const;

 private:
  struct Free {
    void operator()(tmr_tokenizer* tokenizer) const { tmr_tokenizer_free(tokenizer); }
  };
  explicit Backend(tmr_tokenizer* tokenizer) : tokenizer_(tokenizer) {}

  std::unique_ptr<tmr_tokenizer, Free> tokenizer_;
};

}  // namespace transmuter
