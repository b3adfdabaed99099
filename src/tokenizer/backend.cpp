#include "tokenizer/backend.hpp"

#include <algorithm>
#include <limits>

#include "rust_border/border.hpp"

namespace transmuter {

namespace {

using rust_border::call;
using rust_border::Text;
using rust_border::view;

class Rows {
 public:
  Rows() = default;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows() { tmr_encoding_free(rows_); }

  tmr_encoding* place() { return &rows_; }
  const tmr_encoding& get() const { return rows_; }

 private:
  tmr_encoding rows_{};
};

tmr_strategy strategy_of(TruncationStrategy strategy) {
  switch (strategy) {
    case TruncationStrategy::LongestFirst: return TMR_LONGEST_FIRST;
    case TruncationStrategy::OnlyFirst: return TMR_ONLY_FIRST;
    case TruncationStrategy::OnlySecond: return TMR_ONLY_SECOND;
    case TruncationStrategy::OnlyFirstOrNone: return TMR_ONLY_FIRST_OR_NONE;
  }
  fail(ErrorCode::Internal, "no truncation strategy {}", static_cast<int>(strategy));
}

/// A text as the C interface takes it; holds what that refers to.
class Sequence {
 public:
  explicit Sequence(const TextInput& input) : split_(input.is_split()) {
    if (split_) {
      parts_.reserve(input.words().size());
      for (const std::string& word : input.words()) parts_.push_back(view(word));
    } else {
      text_ = view(input.text());
    }
  }

  tmr_sequence get() const {
    if (split_) return {parts_.data(), parts_.size(), true};
    return {&text_, 1, false};
  }

 private:
  tmr_view text_{};
  std::vector<tmr_view> parts_;
  bool split_;
};

Encoding encoding_of(const std::int64_t* values, std::size_t length) {
  const auto column = [&](std::size_t index) { return std::span(values + index * length, length); };
  const auto narrow = [&]<class T>(std::size_t index, std::vector<T>& to) {
    const auto from = column(index);
    to.resize(length);
    std::ranges::transform(from, to.begin(), [](std::int64_t value) { return static_cast<T>(value); });
  };
  Encoding encoding;
  encoding.ids.assign(column(TMR_IDS).begin(), column(TMR_IDS).end());
  encoding.type_ids.assign(column(TMR_TYPE_IDS).begin(), column(TMR_TYPE_IDS).end());
  narrow(TMR_SPECIAL, encoding.special_tokens_mask);
  narrow(TMR_WORDS, encoding.word_ids);
  narrow(TMR_SEQUENCES, encoding.sequence_ids);
  encoding.offsets.resize(length);
  for (std::size_t i = 0; i < length; ++i) {
    encoding.offsets[i] = {static_cast<std::size_t>(column(TMR_STARTS)[i]),
                           static_cast<std::size_t>(column(TMR_ENDS)[i])};
  }
  return encoding;
}

tmr_encode_options settings_of(const EncodeOptions& options, bool windows) {
  return {.add_special_tokens = options.add_special_tokens,
          .code_points = options.offsets == OffsetUnit::CodePoints,
          .truncate = options.max_length.has_value(),
          .left = options.truncation_side == Side::Left,
          .windows = windows,
          .strategy = strategy_of(options.truncation),
          .max_length = options.max_length.value_or(0),
          .stride = options.stride};
}

std::vector<Encoding> encodings_of(const tmr_encoding& rows) {
  std::vector<Encoding> encodings;
  encodings.reserve(rows.windows);
  const std::int64_t* values = rows.values;
  for (const std::size_t length : std::span(rows.lengths, rows.windows)) {
    encodings.push_back(encoding_of(values, length));
    values += length * TMR_COLUMNS;
  }
  return encodings;
}

std::optional<std::uint32_t> as_id(std::int64_t id) {
  if (id < 0 || id > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(id);
}

}  // namespace

Backend::Backend(std::string_view json) {
  tmr_tokenizer* tokenizer = nullptr;
  within("tokenizer.json",
         [&] { call([&](tmr_text* error) { return tmr_tokenizer_load(view(json), &tokenizer, error); }); });
  tokenizer_.reset(tokenizer);
}

Json Backend::part(tmr_part part) const {
  Text json;
  call([&](tmr_text* error) { return tmr_tokenizer_part(tokenizer_.get(), part, json.place(), error); });
  return Json::parse(json.str(), "tokenizer.json");
}

void Backend::set_part(tmr_part part, const Json& json) {
  const std::string text = json.dump();
  call([&](tmr_text* error) { return tmr_tokenizer_set_part(tokenizer_.get(), part, view(text), error); });
}

void Backend::add_tokens(const std::vector<AddedToken>& tokens) {
  std::vector<Json> list;
  list.reserve(tokens.size());
  for (const AddedToken& token : tokens) {
    list.push_back(Json::object({{"content", token.content},
                                 {"single_word", token.single_word},
                                 {"lstrip", token.lstrip},
                                 {"rstrip", token.rstrip},
                                 {"normalized", token.normalized},
                                 {"special", token.special}}));
  }
  const std::string text = Json::array(list).dump();
  call([&](tmr_text* error) { return tmr_tokenizer_add_tokens(tokenizer_.get(), view(text), error); });
}

void Backend::split_special_tokens() {
  call([&](tmr_text* error) { return tmr_tokenizer_split_special_tokens(tokenizer_.get(), true, error); });
}

Backend Backend::with_post_processor(const Json& json) const {
  const std::string text = json.dump();
  tmr_tokenizer* changed = nullptr;
  call([&](tmr_text* error) {
    return tmr_tokenizer_with_post_processor(tokenizer_.get(), view(text), &changed, error);
  });
  return Backend(changed);
}

std::vector<AddedToken> Backend::added_tokens() const {
  std::vector<AddedToken> tokens;
  for (const Json& token : part(TMR_ADDED_TOKENS).elements()) {
    tokens.push_back({.id = token.get<std::int64_t>("id"),
                      .content = token.get<std::string>("content"),
                      .single_word = token.get<bool>("single_word"),
                      .lstrip = token.get<bool>("lstrip"),
                      .rstrip = token.get<bool>("rstrip"),
                      .normalized = token.get<bool>("normalized"),
                      .special = token.get<bool>("special")});
  }
  return tokens;
}

std::size_t Backend::vocab_size() const { return tmr_tokenizer_vocab_size(tokenizer_.get(), true); }

std::size_t Backend::added_count(bool pair) const { return tmr_tokenizer_added_count(tokenizer_.get(), pair); }

std::optional<std::int64_t> Backend::find_id(std::string_view token) const {
  const std::int64_t id = tmr_tokenizer_token_to_id(tokenizer_.get(), view(token));
  return id < 0 ? std::nullopt : std::optional(id);
}

std::optional<std::string> Backend::find_token(std::int64_t id) const {
  const auto number = as_id(id);
  Text token;
  if (!number || !tmr_tokenizer_id_to_token(tokenizer_.get(), *number, token.place())) return std::nullopt;
  return token.str();
}

std::vector<Encoding> Backend::encode(const TextInput& text, const TextInput* pair, const EncodeOptions& options,
                                      bool windows) const {
  const Sequence first(text);
  const std::optional<Sequence> second = pair ? std::optional<Sequence>(*pair) : std::nullopt;
  const tmr_sequence first_view = first.get();
  const tmr_sequence second_view = second ? second->get() : tmr_sequence{};
  const tmr_encode_options settings = settings_of(options, windows);
  Rows rows;
  call([&](tmr_text* error) {
    return tmr_tokenizer_encode(tokenizer_.get(), &first_view, second ? &second_view : nullptr, &settings, rows.place(),
                                error);
  });
  return encodings_of(rows.get());
}

std::vector<Encoding> Backend::encode_pairs(const TextInput& first, std::span<const std::string> seconds,
                                            const EncodeOptions& options) const {
  const Sequence first_sequence(first);
  const tmr_sequence first_view = first_sequence.get();
  const std::vector<Sequence> sequences(seconds.begin(), seconds.end());
  std::vector<tmr_sequence> views;
  views.reserve(sequences.size());
  for (const Sequence& sequence : sequences) views.push_back(sequence.get());
  const tmr_encode_options settings = settings_of(options, false);
  Rows rows;
  call([&](tmr_text* error) {
    return tmr_tokenizer_encode_pairs(tokenizer_.get(), &first_view, views.data(), views.size(), &settings,
                                      rows.place(), error);
  });
  return encodings_of(rows.get());
}

std::string Backend::decode(std::span<const std::int64_t> ids, bool skip_special_tokens) const {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(ids.size());
  for (const std::int64_t id : ids) {
    if (const auto number = as_id(id)) numbers.push_back(*number);
  }
  Text text;
  call([&](tmr_text* error) {
    return tmr_tokenizer_decode(tokenizer_.get(), numbers.data(), numbers.size(), skip_special_tokens, text.place(),
                                error);
  });
  return text.str();
}

std::string Backend::join(std::span<const std::string> tokens) const {
  std::vector<tmr_view> views;
  views.reserve(tokens.size());
  for (const std::string& token : tokens) views.push_back(view(token));
  Text text;
  call([&](tmr_text* error) {
    return tmr_tokenizer_join(tokenizer_.get(), views.data(), views.size(), text.place(), error);
  });
  return text.str();
}

}  // namespace transmuter
