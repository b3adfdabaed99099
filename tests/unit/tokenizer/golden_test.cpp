// Every family of tokenizers against what Python's transformers made of the same strings; see
// reference/tokenizers/make.py, which also prints the expected rows of any string or cut (--show, --case).

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ranges>

#include "base/error.hpp"
#include "base/json.hpp"
#include "tokenizer/tokenizer.hpp"
#include "unit/tokenizer/fixture.hpp"

namespace transmuter {
namespace {

struct Corpus {
  std::vector<std::string> strings;
  std::vector<Json> cases;
};

const Corpus& corpus() {
  static const Corpus corpus = [] {
    const Json json = Json::read(tokenizer_file("corpus.json"));
    return Corpus{json.get<std::vector<std::string>>("strings"), json.get("cases").elements()};
  }();
  return corpus;
}

std::string fnv1a(std::string_view text) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (const char letter : text) value = (value ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
  return fmt::format("{:016x}", value);
}

/// One line a token, as make.py's `canonical`; both have the same tokens and differ only in the unit of their offsets.
std::string canonical(const std::vector<Encoding>& bytes, const std::vector<Encoding>& code_points) {
  std::string text;
  for (std::size_t window = 0; window < bytes.size(); ++window) {
    const Encoding& row = bytes[window];
    const Encoding& other = code_points[window];
    for (std::size_t i = 0; i < row.length(); ++i) {
      text += fmt::format("{} {} {} {} {} {} {} {} {}\n", row.ids[i], row.type_ids[i], row.offsets[i].start,
                          row.offsets[i].end, other.offsets[i].start, other.offsets[i].end, row.word_ids[i],
                          row.sequence_ids[i], row.special_tokens_mask[i]);
    }
    text += "--\n";
  }
  return text;
}

std::string string_text(const Tokenizer& tokenizer, const std::string& string) {
  const Encoding bytes = tokenizer.encode(string);
  const Encoding code_points = tokenizer.encode(string, {.offsets = OffsetUnit::CodePoints});
  return fmt::format("{}{}\n{}\n{}\n", canonical({bytes}, {code_points}), tokenizer.decode(bytes.ids),
                     tokenizer.decode(bytes.ids, true), tokenizer.decode(bytes.ids, false, true));
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (auto&& word : std::views::split(text, ' ')) {
    if (!std::ranges::empty(word)) words.emplace_back(word.begin(), word.end());
  }
  return words;
}

TruncationStrategy strategy_of(const std::string& name) {
  if (name == "only_first") return TruncationStrategy::OnlyFirst;
  return name == "only_second" ? TruncationStrategy::OnlySecond : TruncationStrategy::LongestFirst;
}

std::string case_text(const Tokenizer& tokenizer, const Json& json) {
  EncodeOptions options{.add_special_tokens = json.get<bool>("special"),
                        .max_length = json.find<std::size_t>("max_length"),
                        .truncation = strategy_of(json.get<std::string>("strategy")),
                        .truncation_side = json.get<std::string>("side") == "left" ? Side::Left : Side::Right,
                        .stride = json.get<std::size_t>("stride")};
  const bool split = json.get<bool>("split");
  std::vector<std::vector<std::string>> words;
  std::vector<TextInput> texts;
  for (const std::int64_t index : json.get<std::vector<std::int64_t>>("texts")) {
    words.push_back(words_of(corpus().strings[static_cast<std::size_t>(index)]));
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto index = json.get<std::vector<std::int64_t>>("texts")[i];
    texts.push_back(split ? TextInput(words[i]) : TextInput(corpus().strings[static_cast<std::size_t>(index)]));
  }
  const auto rows = [&](OffsetUnit unit) -> std::vector<Encoding> {
    options.offsets = unit;
    const bool pair = texts.size() == 2;
    if (json.get<bool>("windows")) {
      return pair ? tokenizer.windows(texts[0], texts[1], options) : tokenizer.windows(texts[0], options);
    }
    return {pair ? tokenizer.encode(texts[0], texts[1], options) : tokenizer.encode(texts[0], options)};
  };
  try {
    return canonical(rows(OffsetUnit::Bytes), rows(OffsetUnit::CodePoints));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidInput) << error.what();
    return "error";
  }
}

class TokenizerFamily : public testing::TestWithParam<std::string> {
 protected:
  TokenizerFamily()
      : tokenizer(tokenizer_files(GetParam())), expected(Json::read(tokenizer_file(GetParam() + "/expected.json"))) {}

  /// Compares the hash of each text with the expected one, and shows the first texts that differ.
  template <class TextOf>
  void compare(const char* key, std::size_t count, TextOf&& text_of) {
    const auto hashes = expected.get<std::string>(key);
    ASSERT_EQ(hashes.size(), count * 16);
    std::size_t shown = 0;
    for (std::size_t i = 0; i < count && shown < 3; ++i) {
      const std::string text = text_of(i);
      const std::string hash = text == "error" ? "           error" : fnv1a(text);
      if (hash == hashes.substr(i * 16, 16)) continue;
      ++shown;
      ADD_FAILURE() << GetParam() << ", " << key << " " << i << " is not as in Python; here it gives\n" << text;
    }
  }

  Tokenizer tokenizer;
  Json expected;
};

TEST_P(TokenizerFamily, has_the_settings_of_python) {
  const Json settings = expected.get("settings");
  EXPECT_EQ(tokenizer.vocab_size(), settings.get<std::size_t>("vocab_size"));
  EXPECT_EQ(tokenizer.model_max_length(), settings.find<std::size_t>("model_max_length"));
  EXPECT_EQ(tokenizer.padding_side() == Side::Left ? "left" : "right", settings.get<std::string>("padding_side"));
  EXPECT_EQ(tokenizer.truncation_side() == Side::Left ? "left" : "right", settings.get<std::string>("truncation_side"));
  EXPECT_EQ(tokenizer.model_input_names(), settings.get<std::vector<std::string>>("model_input_names"));
  EXPECT_EQ(tokenizer.special_ids(), settings.get<std::vector<std::int64_t>>("special_ids"));
  EXPECT_EQ((std::vector<std::int64_t>{static_cast<std::int64_t>(tokenizer.added_count(false)),
                                       static_cast<std::int64_t>(tokenizer.added_count(true))}),
            settings.get<std::vector<std::int64_t>>("added_counts"));
  std::vector<std::pair<std::string, std::string>> special;
  for (const auto& [key, value] : settings.get("special_tokens").members())
    special.emplace_back(key, value.as<std::string>());
  EXPECT_THAT(tokenizer.special_tokens_map(), testing::ContainerEq(special));
}

TEST_P(TokenizerFamily, has_the_added_tokens_of_python) {
  std::vector<std::string> own;
  for (const AddedToken& token : tokenizer.added_tokens()) {
    own.push_back(Json::array({token.id, token.content, token.single_word, token.lstrip, token.rstrip, token.normalized,
                               token.special})
                      .dump());
  }
  std::vector<std::string> wanted;
  for (const Json& token : expected.get("settings.added_tokens").elements()) wanted.push_back(token.dump());
  EXPECT_EQ(own, wanted);
}

TEST_P(TokenizerFamily, encodes_the_samples_as_python) {
  for (const Json& sample : expected.get("samples").elements()) {
    const std::string& string = corpus().strings[sample.get<std::size_t>("string")];
    const Encoding bytes = tokenizer.encode(string);
    const Encoding code_points = tokenizer.encode(string, {.offsets = OffsetUnit::CodePoints});
    std::string wanted;
    for (const Json& row : sample.get("rows").elements()) {
      wanted += fmt::format("{}\n", fmt::join(row.as<std::vector<std::int64_t>>(), " "));
    }
    EXPECT_EQ(canonical({bytes}, {code_points}), wanted + "--\n") << string;
    EXPECT_EQ(tokenizer.decode(bytes.ids), sample.get<std::string>("text"));
  }
}

TEST_P(TokenizerFamily, encodes_and_decodes_all_strings_as_python) {
  compare("strings", corpus().strings.size(),
          [&](std::size_t i) { return string_text(tokenizer, corpus().strings[i]); });
}

TEST_P(TokenizerFamily, cuts_pairs_words_and_windows_as_python) {
  compare("cases", corpus().cases.size(), [&](std::size_t i) { return case_text(tokenizer, corpus().cases[i]); });
  for (const Json& sample : expected.get("case_samples").elements()) {
    const Json& json = corpus().cases[sample.get<std::size_t>("case")];
    const auto wanted = sample.get<std::string>("rows");
    EXPECT_EQ(case_text(tokenizer, json), wanted.starts_with("error") ? "error" : wanted) << json.dump();
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string text = info.param;
  std::ranges::replace(text, '-', '_');
  return text;
}

INSTANTIATE_TEST_SUITE_P(all, TokenizerFamily, testing::ValuesIn(tokenizer_families()), test_name);

}  // namespace
}  // namespace transmuter
