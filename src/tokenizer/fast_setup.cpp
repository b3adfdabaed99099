#include "tokenizer/fast_setup.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <ranges>

#include "base/error.hpp"

namespace transmuter {

namespace {

constexpr std::string_view kAdditional = "additional_special_tokens";

// ---- configs ----

/// The keys of a JSON file; keeps absent and null apart, as Python's keyword arguments do.
class Config {
 public:
  explicit Config(const std::optional<std::string>& text, std::string_view file) {
    if (!text) return;
    for (auto& [key, value] : Json::parse(*text, file).members()) values_.insert_or_assign(key, std::move(value));
  }

  bool has(std::string_view key) const { return values_.contains(key); }
  /// Nothing when absent or null.
  std::optional<Json> find(std::string_view key) const {
    const auto found = values_.find(key);
    return found == values_.end() || found->second.is_null() ? std::nullopt : std::optional(found->second);
  }
  template <class T>
  std::optional<T> find(std::string_view key) const {
    const auto found = find(key);
    return found ? std::optional<T>(found->as<T>()) : std::nullopt;
  }
  /// `otherwise` when absent, false when null.
  bool flag(std::string_view key, bool otherwise) const {
    return has(key) ? find<bool>(key).value_or(false) : otherwise;
  }
  void set(std::string_view key, const Json& value) { values_.insert_or_assign(std::string(key), value); }
  const auto& all() const { return values_; }

 private:
  std::map<std::string, Json, std::less<>> values_;
};

Json with_member(const Json& object, std::string_view key, const Json& value) {
  Json::Members members = object.members();
  const auto found = std::ranges::find(members, key, &Json::Members::value_type::first);
  if (found == members.end()) {
    members.emplace_back(key, value);
  } else {
    found->second = value;
  }
  return Json::object(members);
}

Json joined(const Json& first, const Json& second) {
  std::vector<Json> elements = first.elements();
  std::ranges::copy(second.elements(), std::back_inserter(elements));
  return Json::array(elements);
}

// ---- special tokens ----

/// A special token of a config: plain text, or text with flags.
struct Token {
  std::string text;
  std::optional<AddedToken> flags;
};

bool same_token(const AddedToken& a, const AddedToken& b) {
  return a.content == b.content && a.single_word == b.single_word && a.lstrip == b.lstrip && a.rstrip == b.rstrip &&
         a.normalized == b.normalized && a.special == b.special;
}

AddedToken added_token(const Json& json) {
  AddedToken token{.content = json.get<std::string>("content"),
                   .single_word = json.get_or("single_word", false),
                   .lstrip = json.get_or("lstrip", false),
                   .rstrip = json.get_or("rstrip", false),
                   .special = json.get_or("special", false)};
  token.normalized = json.get_or("normalized", !token.special);
  return token;
}

Token token_of(const Json& json) {
  if (json.is_string()) return {json.as<std::string>(), std::nullopt};
  AddedToken token = added_token(json);
  return {token.content, std::move(token)};
}

AddedToken wrapped(const std::string& text, Wrap wrap) {
  return {.content = text, .lstrip = wrap != Wrap::Plain, .normalized = wrap == Wrap::LeftNormalized};
}

/// Whether a special token of the config has this text.
bool has_special(const Config& config, const std::string& text) {
  const auto is_it = [&](const Json& json) { return token_of(json).text == text; };
  for (std::size_t i = 0; i < kSpecialTokens; ++i) {
    const auto value = config.find(name(static_cast<SpecialToken>(i)));
    if (value && is_it(*value)) return true;
  }
  const auto additional = config.find(kAdditional);
  return additional && std::ranges::any_of(additional->elements(), is_it);
}

/// The added tokens that the repository's files name, by id, and the special tokens of special_tokens_map.json moved
/// into `config`.
std::map<std::int64_t, AddedToken> named_tokens(const Backend& backend, const TokenizerFiles& files, Config& config) {
  std::map<std::int64_t, AddedToken> named;
  if (const auto decoder = config.find("added_tokens_decoder")) {
    for (const auto& [key, value] : decoder->members()) {
      std::int64_t id = 0;
      const auto end = std::from_chars(key.data(), key.data() + key.size(), id).ptr;
      if (end != key.data() + key.size()) value.fail_here("must have an integer as its key");
      named.insert_or_assign(id, added_token(value));
    }
    return named;
  }
  // Files of before transformers 4.34.
  const Config special_tokens_map(files.special_tokens_map, "special_tokens_map.json");
  for (const auto& [key, value] : special_tokens_map.all()) {
    const auto own = key == kAdditional ? config.find(key) : std::nullopt;
    config.set(key, own ? joined(*own, value) : value);
  }
  const Config added_tokens(files.added_tokens, "added_tokens.json");
  for (const auto& [text, id] : added_tokens.all()) {
    const bool special = has_special(config, text);
    named.insert_or_assign(id.as<std::int64_t>(),
                           AddedToken{.content = text, .normalized = !special, .special = special});
  }
  for (AddedToken& token : backend.added_tokens()) named.insert_or_assign(token.id, std::move(token));
  return named;
}

/// The special tokens in transformers' order: those with a name, then the additional ones.
std::vector<Token> special_tokens(const FastClass& row, const Config& config,
                                  const std::map<std::int64_t, AddedToken>& named, FastSettings& settings) {
  std::vector<Token> all;
  const auto add = [&](Token token) {
    if (std::ranges::find(all, token.text, &Token::text) == all.end()) all.push_back(std::move(token));
  };
  for (std::size_t i = 0; i < kSpecialTokens; ++i) {
    const std::string_view key = name(static_cast<SpecialToken>(i));
    Token token;
    if (config.has(key)) {
      const auto value = config.find(key);
      if (!value) continue;
      token = token_of(*value);
      const auto known =
          std::ranges::find_if(named, [&](const auto& entry) { return entry.second.content == token.text; });
      if (known != named.end()) token.flags = known->second;
    } else {
      token.text = row.tokens[i];
    }
    if (token.text.empty()) continue;
    if (!token.flags && row.wraps[i] != Wrap::None) token.flags = wrapped(token.text, row.wraps[i]);
    settings.special_tokens[i] = token.text;
    add(std::move(token));
  }
  if (const auto additional = config.find(kAdditional)) {
    for (const Json& json : additional->elements()) {
      Token token = token_of(json);
      settings.additional_tokens.push_back(token.text);
      add(std::move(token));
    }
  }
  if (const auto extra = config.find("extra_special_tokens"); extra && extra->is_object()) {
    for (const auto& [key, json] : extra->members()) {
      Token token = token_of(json);
      settings.extra_tokens.emplace_back(key, token.text);
      add(std::move(token));
    }
  }
  return all;
}

/// Parity: transformers 4.57 PreTrainedTokenizerFast.__init__, tokens_to_add. Tokens that the backend has are added
/// again: that sets their flags.
void add_tokens(Backend& backend, const std::map<std::int64_t, AddedToken>& named, const std::vector<Token>& special) {
  const std::vector<AddedToken> own = backend.added_tokens();
  std::vector<AddedToken> to_add;
  std::ranges::copy(named | std::views::values, std::back_inserter(to_add));
  const std::vector<AddedToken> from_files = to_add;
  const auto has_text = [](const std::vector<AddedToken>& tokens, const std::string& text) {
    return std::ranges::find(tokens, text, &AddedToken::content) != tokens.end();
  };
  for (const Token& token : special) {
    const bool listed = std::ranges::any_of(
        from_files, [&](const AddedToken& other) { return token.flags && same_token(other, *token.flags); });
    if (token.flags && !listed) to_add.push_back(*token.flags);
    if (!token.flags && !has_text(own, token.text) && !has_text(from_files, token.text)) {
      to_add.push_back({.content = token.text, .normalized = false});
    }
  }
  for (AddedToken& token : to_add) {
    token.special = token.special || std::ranges::find(special, token.content, &Token::text) != special.end();
  }
  if (!to_add.empty()) backend.add_tokens(to_add);
}

// ---- the parts of the backend ----

/// Parity: transformers 4.57 PreTrainedTokenizerFast.__init__, end; BloomTokenizerFast.__init__.
void set_prefix_space(Backend& backend, const FastClass& row, const Config& config) {
  constexpr std::string_view kKey = "add_prefix_space";
  const bool is_null = config.has(kKey) && !config.find(kKey);
  if (row.prefix_space == PrefixSpace::Keep || is_null) return;
  const bool wanted = config.flag(kKey, false);
  const Json pre_tokenizer = backend.part(TMR_PRE_TOKENIZER);
  if (pre_tokenizer.find(kKey)) backend.set_part(TMR_PRE_TOKENIZER, with_member(pre_tokenizer, kKey, wanted));
  if (row.prefix_space != PrefixSpace::SetDeep || !wanted) return;
  for (const tmr_part part : {TMR_PRE_TOKENIZER, TMR_DECODER}) {
    constexpr std::string_view kFalse = R"("add_prefix_space":false)";
    std::string text = backend.part(part).dump();
    for (auto at = text.find(kFalse); at != std::string::npos; at = text.find(kFalse, at)) {
      text.replace(at, kFalse.size(), R"("add_prefix_space":true)");
    }
    backend.set_part(part, Json::parse(text, "tokenizer.json"));
  }
}

/// Parity: transformers 4.57 BertTokenizerFast.__init__, MPNetTokenizerFast.__init__.
void set_normalizer(Backend& backend, const FastClass& row, const Config& config) {
  if (row.normalizer == NormalizerRule::Keep) return;
  Json normalizer = backend.part(TMR_NORMALIZER);
  if (normalizer.find<std::string>("type") != "BertNormalizer") return;
  const auto strip_accents = config.find("strip_accents");
  normalizer = with_member(normalizer, "lowercase", config.find<bool>("do_lower_case").value_or(true));
  normalizer = with_member(normalizer, "strip_accents", strip_accents.value_or(Json()));
  if (row.normalizer == NormalizerRule::Bert) {
    const bool split = config.find<bool>("tokenize_chinese_chars").value_or(true);
    normalizer = with_member(normalizer, "handle_chinese_chars", split);
  }
  backend.set_part(TMR_NORMALIZER, normalizer);
}

/// Parity: sentence-transformers 5.7 Transformer, do_lower_case.
void put_lowercase_first(Backend& backend) {
  const Json lowercase = Json::object({{"type", "Lowercase"}});
  const Json normalizer = backend.part(TMR_NORMALIZER);
  const bool is_sequence = normalizer.find<std::string>("type") == "Sequence";
  std::vector<Json> steps;
  if (is_sequence) {
    steps = normalizer.get("normalizers").elements();
  } else if (!normalizer.is_null()) {
    steps.push_back(normalizer);
  }
  const auto lowers = [](const Json& step) { return step.find<std::string>("type") == "Lowercase"; };
  if (std::ranges::any_of(steps, lowers)) return;
  steps.insert(steps.begin(), lowercase);
  backend.set_part(TMR_NORMALIZER, Json::object({{"type", "Sequence"}, {"normalizers", Json::array(steps)}}));
}

/// A TemplateProcessing from its pieces: "$A", "$B" or a token, each with a type id.
class Template {
 public:
  using Pieces = std::vector<std::pair<std::string, int>>;

  explicit Template(const Backend& backend) : backend_(&backend) {}

  Json json(const Pieces& single, const Pieces& pair) {
    const Json single_json = pieces(single);
    const Json pair_json = pieces(pair);
    return Json::object({{"type", "TemplateProcessing"},
                         {"single", single_json},
                         {"pair", pair_json},
                         {"special_tokens", Json::object(tokens_)}});
  }

 private:
  Json pieces(const Pieces& pieces) {
    std::vector<Json> list;
    for (const auto& [text, type_id] : pieces) {
      const bool is_text = text == "$A" || text == "$B";
      list.push_back(Json::object({{is_text ? "Sequence" : "SpecialToken",
                                    Json::object({{"id", is_text ? text.substr(1) : text}, {"type_id", type_id}})}}));
      if (!is_text) remember(text);
    }
    return Json::array(list);
  }

  void remember(const std::string& token) {
    const auto id = backend_->find_id(token);
    if (!id) fail(ErrorCode::InvalidModel, "tokenizer.json: the special token \"{}\" is not in the vocabulary", token);
    tokens_.emplace_back(token,
                         Json::object({{"id", token}, {"ids", Json::array({*id})}, {"tokens", Json::array({token})}}));
  }

  const Backend* backend_;
  Json::Members tokens_;
};

/// Parity: transformers 4.57 LlamaTokenizerFast.update_post_processor.
Json bos_eos_processor(const Backend& backend, const FastSettings& settings, bool add_bos, bool add_eos) {
  const auto token = [&](bool wanted, SpecialToken which) -> std::optional<std::string> {
    if (!wanted) return std::nullopt;
    const auto& text = settings.special_tokens[static_cast<std::size_t>(which)];
    if (!text) fail(ErrorCode::InvalidModel, "tokenizer_config.json: {} is to be added but not given", name(which));
    return text;
  };
  const auto bos = token(add_bos, SpecialToken::Bos);
  const auto eos = token(add_eos, SpecialToken::Eos);
  const auto around = [&](const char* text, int type_id) {
    Template::Pieces pieces;
    if (bos) pieces.emplace_back(*bos, type_id);
    pieces.emplace_back(text, type_id);
    if (eos) pieces.emplace_back(*eos, type_id);
    return pieces;
  };
  const Template::Pieces single = around("$A", 0);
  Template::Pieces pair = single;
  std::ranges::copy(around("$B", 1), std::back_inserter(pair));
  return Template(backend).json(single, pair);
}

/// Parity: transformers 4.57 RobertaTokenizerFast.__init__.
void set_offsets(Backend& backend, const Config& config) {
  Json processor = backend.part(TMR_POST_PROCESSOR);
  for (const auto& [key, otherwise] : {std::pair("add_prefix_space", false), std::pair("trim_offsets", true)}) {
    if (processor.find(key)) processor = with_member(processor, key, config.find<bool>(key).value_or(otherwise));
  }
  if (!processor.is_null()) backend.set_part(TMR_POST_PROCESSOR, processor);
}

/// `token`, or the unknown token when the vocabulary does not have it, as in Python.
std::string known_token(const Backend& backend, const FastSettings& settings, const std::string& token) {
  const auto& unknown = settings.special_tokens[static_cast<std::size_t>(SpecialToken::Unk)];
  return backend.find_id(token) || !unknown ? token : *unknown;
}

void set_language(Backend& backend, const FastClass& row, const Config& config, FastSettings& settings) {
  settings.language_in_underscores = row.language.starts_with("__");
  settings.language_rule = row.processor;
  if (row.processor == ProcessorRule::Nllb) {
    settings.language_rule =
        config.flag("legacy_behaviour", false) ? ProcessorRule::LanguageLast : ProcessorRule::LanguageFirst;
  }
  std::string code = config.find<std::string>("src_lang").value_or(std::string(row.language));
  if (settings.language_in_underscores && code.find("__") == std::string::npos) code = fmt::format("__{}__", code);
  backend.set_part(TMR_POST_PROCESSOR, language_processor(backend, settings, known_token(backend, settings, code)));
}

void set_post_processor(Backend& backend, const FastClass& row, const Config& config, FastSettings& settings) {
  switch (row.processor) {
    case ProcessorRule::Keep: return;
    case ProcessorRule::Offsets: return set_offsets(backend, config);
    case ProcessorRule::Bos:
    case ProcessorRule::NoBos: {
      const bool add_bos = config.flag("add_bos_token", row.processor == ProcessorRule::Bos);
      const bool add_eos = config.flag("add_eos_token", false);
      return backend.set_part(TMR_POST_PROCESSOR, bos_eos_processor(backend, settings, add_bos, add_eos));
    }
    case ProcessorRule::LanguageLast:
    case ProcessorRule::LanguageFirst:
    case ProcessorRule::Nllb: return set_language(backend, row, config, settings);
  }
  fail(ErrorCode::Internal, "no post-processor rule {}", static_cast<int>(row.processor));
}

// ---- the other settings ----

Side side_of(const Json& json) {
  const auto text = json.as<std::string>();
  if (text == "right" || text == "Right") return Side::Right;
  if (text == "left" || text == "Left") return Side::Left;
  json.fail_here(R"(must be "right" or "left")");
}

/// tokenizer_config.json's word, else that of tokenizer.json's truncation or padding.
Side side(const Config& config, std::string_view key, const Json& part, Side otherwise) {
  if (const auto own = config.find(key)) return side_of(*own);
  if (const auto own = part.find("direction")) return side_of(*own);
  return otherwise;
}

/// Parity: transformers 4.57 LARGE_INTEGER: above it, there is no limit.
std::optional<std::size_t> max_length(const Config& config) {
  constexpr double kLargeInteger = 1e15;  // transformers has 1e20, which no length reaches either
  const auto value = config.find(config.has("model_max_length") ? "model_max_length" : "max_len");
  if (!value || value->as<double>() > kLargeInteger) return std::nullopt;
  if (value->as<double>() < 0) value->fail_here("must not be negative");
  return static_cast<std::size_t>(value->as<double>());
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (auto&& word : std::views::split(text, ' ')) words.emplace_back(word.begin(), word.end());
  return words;
}

const FastClass& class_of(const Config& tokenizer_config, const Config& config) {
  if (const auto name = tokenizer_config.find<std::string>("tokenizer_class")) return fast_class(*name);
  if (const auto name = config.find<std::string>("tokenizer_class")) return fast_class(*name);
  return fast_class_of_model(config.find<std::string>("model_type").value_or(""));
}

}  // namespace

FastSettings set_up(Backend& backend, const TokenizerFiles& files, const TokenizerOptions& options) {
  Config config(files.tokenizer_config, "tokenizer_config.json");
  if (options.add_prefix_space) config.set("add_prefix_space", *options.add_prefix_space);
  const Config model_config(files.config, "config.json");
  const FastClass& row = class_of(config, model_config);
  const Json truncation = backend.part(TMR_TRUNCATION);
  const Json padding = backend.part(TMR_PADDING);

  FastSettings settings;
  const auto named = named_tokens(backend, files, config);
  if (const auto pad = padding.find("pad_token"); pad && !config.has(name(SpecialToken::Pad))) {
    // A class with a default of its own does not ask tokenizer.json.
    if (row.tokens[static_cast<std::size_t>(SpecialToken::Pad)].empty()) config.set(name(SpecialToken::Pad), *pad);
  }
  add_tokens(backend, named, special_tokens(row, config, named, settings));
  if (config.flag("split_special_tokens", false)) backend.split_special_tokens();
  set_prefix_space(backend, row, config);
  set_normalizer(backend, row, config);
  set_post_processor(backend, row, config, settings);
  if (options.lower_case) put_lowercase_first(backend);

  settings.model_max_length = max_length(config);
  settings.truncation_side = side(config, "truncation_side", truncation, Side::Right);
  settings.padding_side = side(config, "padding_side", padding, row.padding_side);
  settings.model_input_names =
      config.find<std::vector<std::string>>("model_input_names").value_or(words_of(row.inputs));
  settings.clean_up_spaces = config.flag("clean_up_tokenization_spaces", false);
  if (row.suffix_becomes_space) {
    settings.word_end = backend.part(TMR_MODEL).find<std::string>("end_of_word_suffix").value_or("");
  }
  return settings;
}

Json language_processor(const Backend& backend, const FastSettings& settings, std::string_view code) {
  const auto& eos = settings.special_tokens[static_cast<std::size_t>(SpecialToken::Eos)];
  if (!eos) fail(ErrorCode::InvalidModel, "tokenizer_config.json: a translation model needs an eos_token");
  const bool first = settings.language_rule == ProcessorRule::LanguageFirst;
  const auto around = [&](const Template::Pieces& texts) {
    Template::Pieces pieces;
    if (first) pieces.emplace_back(code, 0);
    std::ranges::copy(texts, std::back_inserter(pieces));
    pieces.emplace_back(*eos, 0);
    if (!first) pieces.emplace_back(code, 0);
    return pieces;
  };
  return Template(backend).json(around({{"$A", 0}}), around({{"$A", 0}, {"$B", 0}}));
}

}  // namespace transmuter
