#include "tokenizer/tokenizer.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "tokenizer/backend.hpp"
#include "tokenizer/fast_setup.hpp"

namespace transmuter {

struct Tokenizer::State {
  Backend backend;
  FastSettings settings;
  std::string model_type;
  std::string continuing_subword_prefix;
  std::vector<AddedToken> added_tokens;
  std::vector<std::pair<std::string, std::string>> special_tokens_map;
  std::vector<std::int64_t> special_ids;
};

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Parity: transformers 4.57 PreTrainedTokenizerBase.clean_up_tokenization.
void clean_up(std::string& text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kSteps{{{" .", "."},
                                                                                  {" ?", "?"},
                                                                                  {" !", "!"},
                                                                                  {" ,", ","},
                                                                                  {" ' ", "'"},
                                                                                  {" n't", "n't"},
                                                                                  {" 'm", "'m"},
                                                                                  {" 's", "'s"},
                                                                                  {" 've", "'ve"},
                                                                                  {" 're", "'re"}}};
  for (const auto& [from, to] : kSteps) replace_all(text, from, to);
}

std::vector<std::int64_t> ids_of_special_tokens(const Backend& backend, const FastSettings& settings) {
  std::vector<std::int64_t> ids;
  const auto add = [&](const std::string& token) {
    if (const auto id = backend.find_id(token)) ids.push_back(*id);
  };
  for (const auto& token : settings.special_tokens) {
    if (token) add(*token);
  }
  std::ranges::for_each(settings.additional_tokens, add);
  for (const auto& [key, token] : settings.extra_tokens) add(token);
  std::ranges::sort(ids);
  const auto repeated = std::ranges::unique(ids);
  ids.erase(repeated.begin(), repeated.end());
  return ids;
}

std::vector<std::pair<std::string, std::string>> map_of(const FastSettings& settings) {
  std::vector<std::pair<std::string, std::string>> map;
  for (std::size_t i = 0; i < kSpecialTokens; ++i) {
    if (const auto& token = settings.special_tokens[i]) map.emplace_back(name(static_cast<SpecialToken>(i)), *token);
  }
  std::ranges::copy(settings.extra_tokens, std::back_inserter(map));
  return map;
}

}  // namespace

std::string_view name(SpecialToken token) {
  switch (token) {
    case SpecialToken::Bos: return "bos_token";
    case SpecialToken::Eos: return "eos_token";
    case SpecialToken::Unk: return "unk_token";
    case SpecialToken::Sep: return "sep_token";
    case SpecialToken::Pad: return "pad_token";
    case SpecialToken::Cls: return "cls_token";
    case SpecialToken::Mask: return "mask_token";
  }
  fail(ErrorCode::Internal, "no name for special token {}", static_cast<int>(token));
}

Tokenizer::Tokenizer(const TokenizerFiles& files, const TokenizerOptions& options) {
  Backend backend(files.tokenizer);
  FastSettings settings = set_up(backend, files, options);
  const Json model = backend.part(TMR_MODEL);
  auto state = std::make_shared<State>(
      State{.backend = std::move(backend),
            .settings = std::move(settings),
            .model_type = model.get<std::string>("type"),
            .continuing_subword_prefix = model.get_or<std::string>("continuing_subword_prefix", ""),
            .added_tokens = {},
            .special_tokens_map = {},
            .special_ids = {}});
  state->added_tokens = state->backend.added_tokens();
  state->special_tokens_map = map_of(state->settings);
  state->special_ids = ids_of_special_tokens(state->backend, state->settings);
  state_ = std::move(state);
}

Encoding Tokenizer::encode(const TextInput& text, const EncodeOptions& options) const {
  return std::move(rows(text, nullptr, options, false).front());
}

Encoding Tokenizer::encode(const TextInput& text, const TextInput& pair, const EncodeOptions& options) const {
  return std::move(rows(text, &pair, options, false).front());
}

std::vector<Encoding> Tokenizer::encode_pairs(const TextInput& text, std::span<const std::string> pairs,
                                              EncodeOptions options) const {
  if (!options.truncation_side) options.truncation_side = truncation_side();
  return state_->backend.encode_pairs(text, pairs, options);
}

std::vector<Encoding> Tokenizer::windows(const TextInput& text, const EncodeOptions& options) const {
  return rows(text, nullptr, options, true);
}

std::vector<Encoding> Tokenizer::windows(const TextInput& text, const TextInput& pair,
                                         const EncodeOptions& options) const {
  return rows(text, &pair, options, true);
}

std::vector<Encoding> Tokenizer::rows(const TextInput& text, const TextInput* pair, EncodeOptions options,
                                      bool windows) const {
  if (!options.truncation_side) options.truncation_side = truncation_side();
  return state_->backend.encode(text, pair, options, windows);
}

std::string Tokenizer::decode(std::span<const std::int64_t> ids, bool skip_special_tokens,
                              std::optional<bool> clean_up_spaces) const {
  const FastSettings& settings = state_->settings;
  std::string text = state_->backend.decode(ids, skip_special_tokens);
  if (!settings.word_end.empty()) {
    // Parity: transformers 4.57 CLIPTokenizerFast._wrap_decode_method_backend_tokenizer.
    replace_all(text, settings.word_end, " ");
    text = stripped(text);
  }
  if (clean_up_spaces.value_or(settings.clean_up_spaces)) clean_up(text);
  return text;
}

std::string Tokenizer::join(std::span<const std::string> tokens) const { return state_->backend.join(tokens); }

std::optional<std::int64_t> Tokenizer::find_id(std::string_view token) const { return state_->backend.find_id(token); }

std::int64_t Tokenizer::id_of(std::string_view token) const {
  if (const auto id = find_id(token)) return *id;
  if (const auto unknown = special_id(SpecialToken::Unk)) return *unknown;
  fail(ErrorCode::InvalidInput, "the tokenizer has no token \"{}\", and no unknown token", token);
}

std::optional<std::string> Tokenizer::find_token(std::int64_t id) const { return state_->backend.find_token(id); }

std::size_t Tokenizer::vocab_size() const { return state_->backend.vocab_size(); }

std::size_t Tokenizer::added_count(bool pair) const { return state_->backend.added_count(pair); }

const std::vector<AddedToken>& Tokenizer::added_tokens() const { return state_->added_tokens; }

std::optional<std::string> Tokenizer::special_token(SpecialToken token) const {
  return state_->settings.special_tokens[static_cast<std::size_t>(token)];
}

std::optional<std::int64_t> Tokenizer::special_id(SpecialToken token) const {
  const auto text = special_token(token);
  return text ? find_id(*text) : std::nullopt;
}

const std::vector<std::pair<std::string, std::string>>& Tokenizer::special_tokens_map() const {
  return state_->special_tokens_map;
}

const std::vector<std::int64_t>& Tokenizer::special_ids() const { return state_->special_ids; }

std::optional<std::size_t> Tokenizer::model_max_length() const { return state_->settings.model_max_length; }

Side Tokenizer::truncation_side() const { return state_->settings.truncation_side; }

Side Tokenizer::padding_side() const { return state_->settings.padding_side; }

const std::vector<std::string>& Tokenizer::model_input_names() const { return state_->settings.model_input_names; }

const std::string& Tokenizer::model_type() const { return state_->model_type; }

const std::string& Tokenizer::continuing_subword_prefix() const { return state_->continuing_subword_prefix; }

Tokenizer Tokenizer::with_source_language(std::string_view code) const {
  const State& state = *state_;
  if (state.settings.language_rule == ProcessorRule::Keep) {
    fail(ErrorCode::Unsupported, "this tokenizer has no source language to choose");
  }
  if (!find_id(code)) {
    fail(ErrorCode::InvalidInput, "the tokenizer has no language \"{}\"; a language is a token as in \"fra_Latn\"",
         code);
  }
  const Json processor = language_processor(state.backend, state.settings, code);
  auto changed = std::make_shared<State>(State{.backend = state.backend.with_post_processor(processor),
                                               .settings = state.settings,
                                               .model_type = state.model_type,
                                               .continuing_subword_prefix = state.continuing_subword_prefix,
                                               .added_tokens = state.added_tokens,
                                               .special_tokens_map = state.special_tokens_map,
                                               .special_ids = state.special_ids});
  return Tokenizer(std::shared_ptr<const State>(std::move(changed)));
}

}  // namespace transmuter
