#include "tokenizer/tokenizer.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

#include "base/json.hpp"
#include "support/errors.hpp"
#include "unit/tokenizer/fixture.hpp"

namespace transmuter {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Tokenizer family(const std::string& name, const TokenizerOptions& options = {}) {
  return Tokenizer(tokenizer_files(name), options);
}

/// A BERT tokenizer with a whole vocabulary.
Tokenizer mini_lm() { return family("all-minilm-l6-v2"); }

std::vector<std::string> tokens_of(const Tokenizer& tokenizer, const Encoding& encoding) {
  std::vector<std::string> tokens;
  for (const std::int64_t id : encoding.ids) tokens.push_back(tokenizer.find_token(id).value_or("?"));
  return tokens;
}

/// `count` strings of the golden tests' corpus, again and again: many words, letters of all kinds, special tokens.
std::string long_text(std::size_t count) {
  const auto strings = Json::read(tokenizer_file("corpus.json")).get<std::vector<std::string>>("strings");
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += strings[i % strings.size()] + " ";
  return text;
}

TEST(Tokenizer, encodes_a_text_with_its_special_tokens) {
  const Tokenizer tokenizer = mini_lm();
  const Encoding row = tokenizer.encode("The café unbelievably");
  EXPECT_THAT(tokens_of(tokenizer, row),
              ElementsAre("[CLS]", "the", "cafe", "un", "##bel", "##ie", "##va", "##bly", "[SEP]"));
  EXPECT_THAT(row.offsets,
              ElementsAre(ByteRange{0, 0}, ByteRange{0, 3}, ByteRange{4, 9}, ByteRange{10, 12}, ByteRange{12, 15},
                          ByteRange{15, 17}, ByteRange{17, 19}, ByteRange{19, 22}, ByteRange{0, 0}));
  EXPECT_THAT(row.word_ids, ElementsAre(-1, 0, 1, 2, 2, 2, 2, 2, -1));
  EXPECT_THAT(row.sequence_ids, ElementsAre(-1, 0, 0, 0, 0, 0, 0, 0, -1));
  EXPECT_THAT(row.special_tokens_mask, ElementsAre(1, 0, 0, 0, 0, 0, 0, 0, 1));
  EXPECT_THAT(row.type_ids, testing::Each(0));
}

TEST(Tokenizer, counts_offsets_in_code_points_when_asked) {
  const Encoding row = mini_lm().encode("é the", {.add_special_tokens = false, .offsets = OffsetUnit::CodePoints});
  EXPECT_EQ(row.offsets.back(), (ByteRange{2, 5}));
}

TEST(Tokenizer, keeps_texts_with_zero_bytes) {
  const std::string text("the\0the", 7);
  const Encoding row = family("roberta").encode(text, {.add_special_tokens = false});
  EXPECT_EQ(row.offsets.back().end, 7U);
  EXPECT_EQ(family("roberta").decode(row.ids), " " + text);
}

TEST(Tokenizer, takes_words_that_were_split_before) {
  const std::vector<std::string> words{"The", "unbelievable", ""};
  const Encoding row = mini_lm().encode(words, {.add_special_tokens = false});
  EXPECT_EQ(row.word_ids.front(), 0);
  EXPECT_EQ(row.word_ids.back(), 1);
  EXPECT_EQ(row.offsets.back().end, 12U);
}

TEST(Tokenizer, refuses_text_that_is_not_utf8) {
  const Tokenizer tokenizer = mini_lm();
  EXPECT_THAT(error_of([&] { (void)tokenizer.encode("abc\xFF"); }),
              AllOf(StartsWith("InvalidInput"), HasSubstr("not valid UTF-8 at byte 3")));
  EXPECT_THAT(error_of([&] { (void)tokenizer.encode("abc", "ab\xE2\x82"); }), HasSubstr("at byte 2"));
  EXPECT_THAT(error_of([&] { (void)tokenizer.encode(std::vector<std::string>{"a", "\xC0\x80"}); }),
              HasSubstr("word 1: the text is not valid UTF-8 at byte 0"));
  EXPECT_THAT(error_of([&] { (void)tokenizer.encode("\xED\xA0\x80"); }), HasSubstr("at byte 0"));
}

TEST(Tokenizer, cuts_before_it_adds_special_tokens) {
  const Tokenizer tokenizer = mini_lm();
  const Encoding row = tokenizer.encode("the the the the", {.max_length = 4});
  EXPECT_THAT(tokens_of(tokenizer, row), ElementsAre("[CLS]", "the", "the", "[SEP]"));
  const Encoding clip = family("clip").encode(std::string(1000, 'x'), {.max_length = 77});
  EXPECT_EQ(clip.length(), 77U);
  EXPECT_EQ(clip.ids.back(), family("clip").special_id(SpecialToken::Eos));
}

TEST(Tokenizer, refuses_cuts_that_are_not_possible) {
  const Tokenizer tokenizer = mini_lm();
  EXPECT_THAT(error_of([&] { (void)tokenizer.encode("the", {.max_length = 1}); }),
              AllOf(StartsWith("InvalidInput"), HasSubstr("max_length 1 is less than the 2 special tokens")));
  EXPECT_THAT(error_of([&] {
                (void)tokenizer.encode("the the", {.max_length = 3, .truncation = TruncationStrategy::OnlySecond});
              }),
              HasSubstr("there is none"));
  EXPECT_THAT(error_of([&] {
                (void)tokenizer.encode("the the the the", "the",
                                       {.max_length = 6, .truncation = TruncationStrategy::OnlySecond});
              }),
              HasSubstr("leave no room"));
  EXPECT_THAT(error_of([&] { (void)tokenizer.windows("the the the the", {.max_length = 5, .stride = 3}); }),
              HasSubstr("stride 3 must be less than the 3 tokens of a window"));
}

TEST(Tokenizer, encodes_many_pairs_as_each_alone) {
  const Tokenizer tokenizer = mini_lm();
  const std::string text = "the cat sat on the mat, once more and again";
  const std::vector<std::string> pairs = {"a dog", "", "ein Käfer läuft über die grüne Wiese und weiter", "😀"};
  for (const std::size_t length : {7UL, 12UL, 16UL, 64UL}) {
    for (const auto strategy : {TruncationStrategy::LongestFirst, TruncationStrategy::OnlyFirstOrNone}) {
      const EncodeOptions options{.max_length = length, .truncation = strategy};
      const auto rows = tokenizer.encode_pairs(text, pairs, options);
      ASSERT_EQ(rows.size(), pairs.size());
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Encoding alone = tokenizer.encode(text, pairs[i], options);
        EXPECT_EQ(rows[i].ids, alone.ids);
        EXPECT_EQ(rows[i].type_ids, alone.type_ids);
        EXPECT_EQ(rows[i].offsets, alone.offsets);
      }
    }
  }
  EXPECT_TRUE(tokenizer.encode_pairs(text, {}).empty());
  const std::vector<std::string> wrong = {"a", "\xFF"};
  EXPECT_THAT(error_of([&] { (void)tokenizer.encode_pairs(text, wrong); }), HasSubstr("not valid UTF-8 at byte 0"));
}

TEST(Tokenizer, cuts_nothing_where_the_second_text_leaves_no_room_when_asked) {
  const EncodeOptions options{.max_length = 6, .truncation = TruncationStrategy::OnlyFirstOrNone};
  const Tokenizer tokenizer = mini_lm();
  EXPECT_EQ(tokenizer.encode("the cat sat on", "a b", options).length(), 6U);
  EXPECT_EQ(tokenizer.encode("the cat sat on", "a b c", options).length(), 4U + 3U + 3U);
  EXPECT_EQ(tokenizer.encode("the cat sat on", "a b c d e", options).length(), 4U + 5U + 3U);
}

TEST(Tokenizer, refuses_pairs_of_long_texts_that_make_too_many_windows) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "the ";
  EXPECT_THAT(error_of([&] { (void)mini_lm().windows(text, text, {.max_length = 9}); }),
              HasSubstr("windows, more than 65536"));
}

TEST(Tokenizer, overlaps_windows_by_stride) {
  const auto windows = mini_lm().windows("what", "a b c d e f g",
                                         {.max_length = 8, .truncation = TruncationStrategy::OnlySecond, .stride = 2});
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(windows[0].offsets[windows[0].length() - 2], (ByteRange{6, 7}));
  EXPECT_EQ(windows[1].offsets[windows[1].length() - 4], (ByteRange{6, 7}));
}

TEST(Tokenizer, finds_the_same_first_tokens_when_it_looks_at_the_beginning_only) {
  const std::string text = long_text(900);
  for (const std::string& name : tokenizer_families()) {
    const Tokenizer tokenizer = family(name);
    const Encoding whole = tokenizer.encode(text, {.add_special_tokens = false});
    for (const std::size_t length : {std::size_t{1}, std::size_t{64}, std::size_t{777}}) {
      const Encoding cut =
          tokenizer.encode(text, {.add_special_tokens = false, .max_length = length, .truncation_side = Side::Right});
      EXPECT_TRUE(std::ranges::equal(cut.ids, std::span(whole.ids).first(length))) << name << " " << length;
      EXPECT_TRUE(std::ranges::equal(cut.offsets, std::span(whole.offsets).first(length))) << name << " " << length;
      EXPECT_TRUE(std::ranges::equal(cut.word_ids, std::span(whole.word_ids).first(length))) << name << " " << length;
    }
  }
}

TEST(Tokenizer, looks_at_more_than_the_beginning_of_long_words) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += std::string(150, 'x') + " ";
  const Tokenizer tokenizer = mini_lm();
  for (std::size_t length = 3; length < 60; ++length) {
    EXPECT_EQ(tokenizer.encode(text, {.max_length = length}).length(), length);
  }
}

TEST(Tokenizer, looks_at_all_of_a_text_when_a_token_may_hold_a_space) {
  const Tokenizer tokenizer({.tokenizer = R"({"pre_tokenizer": {"type": "Whitespace"},
    "model": {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"},
    "added_tokens": [{"id": 1, "content": "a-b cd", "single_word": false, "lstrip": false, "rstrip": false,
                      "normalized": false, "special": false}]})"});
  for (std::size_t shift = 0; shift < 16; ++shift) {
    std::string text(shift, ' ');
    for (int i = 0; i < 100; ++i) text += "xxxxxxxx a-b cd ";
    const Encoding whole = tokenizer.encode(text);
    for (std::size_t length = 1; length < 40; ++length) {
      const Encoding cut = tokenizer.encode(text, {.max_length = length});
      ASSERT_TRUE(std::ranges::equal(cut.ids, std::span(whole.ids).first(length))) << shift << " " << length;
    }
  }
}

TEST(Tokenizer, encodes_a_megabyte) {
  const std::string text = long_text(17'000);
  ASSERT_GT(text.size(), 1'000'000U);
  const Tokenizer tokenizer = family("xlm-roberta");
  const Encoding row = tokenizer.encode(text);
  EXPECT_GT(row.length(), 300'000U);
  const auto windows = tokenizer.windows(
      "question", text, {.max_length = 384, .truncation = TruncationStrategy::OnlySecond, .stride = 128});
  EXPECT_GT(windows.size(), 1000U);
  EXPECT_EQ(windows.back().offsets[windows.back().length() - 2].end, row.offsets[row.length() - 2].end);
}

TEST(Tokenizer, decodes_with_and_without_special_tokens) {
  const Tokenizer tokenizer = family("xlm-roberta");
  const auto ids = tokenizer.encode("The quick fox .").ids;
  EXPECT_EQ(tokenizer.decode(ids, true, false), "The quick fox .");
  EXPECT_EQ(tokenizer.decode(ids, true), "The quick fox.");
  EXPECT_THAT(tokenizer.decode(ids), AllOf(StartsWith("<s>"), testing::EndsWith("</s>")));
}

TEST(Tokenizer, leaves_ids_out_that_it_does_not_have) {
  const Tokenizer tokenizer = family("gpt2");
  const std::int64_t the = tokenizer.encode("the").ids.front();
  const std::array<std::int64_t, 4> ids{-1, the, 1'000'000, std::int64_t{1} << 40};
  EXPECT_EQ(tokenizer.decode(ids), tokenizer.decode(std::span(ids).subspan(1, 1)));
}

TEST(Tokenizer, joins_tokens_as_the_decoder_does) {
  EXPECT_EQ(mini_lm().join(std::vector<std::string>{"un", "##believ", "##able", ",", "yes"}), "unbelievable, yes");
}

TEST(Tokenizer, tells_tokens_and_ids) {
  const Tokenizer tokenizer = mini_lm();
  EXPECT_EQ(tokenizer.find_token(tokenizer.id_of("the")), "the");
  EXPECT_EQ(tokenizer.find_id("no such token"), std::nullopt);
  EXPECT_EQ(tokenizer.id_of("no such token"), tokenizer.special_id(SpecialToken::Unk));
  EXPECT_EQ(tokenizer.find_token(-1), std::nullopt);
  EXPECT_EQ(tokenizer.find_token(1 << 20), std::nullopt);
  EXPECT_EQ(tokenizer.model_type(), "WordPiece");
  EXPECT_EQ(tokenizer.continuing_subword_prefix(), "##");
  EXPECT_EQ(family("gpt2").continuing_subword_prefix(), "");
}

TEST(Tokenizer, lower_cases_first_when_asked) {
  const TokenizerOptions lower{.lower_case = true};
  EXPECT_EQ(family("xlm-roberta", lower).encode("The Quick FOX").ids,
            family("xlm-roberta").encode("the quick fox").ids);
  EXPECT_EQ(family("word-level", lower).encode("The QUICK").ids, family("word-level").encode("the quick").ids);
  EXPECT_EQ(family("bert-bare", lower).encode("The").ids, family("bert-bare").encode("the").ids);
}

TEST(Tokenizer, takes_the_callers_add_prefix_space) {
  const Encoding row = family("gpt2", {.add_prefix_space = true}).encode("the");
  EXPECT_EQ(row.ids, family("gpt2").encode(" the").ids);
}

TEST(Tokenizer, changes_the_source_language) {
  const Tokenizer french = family("nllb");
  const Tokenizer english = french.with_source_language("eng_Latn");
  EXPECT_EQ(french.encode("x").ids.front(), french.find_id("fra_Latn"));
  EXPECT_EQ(english.encode("x").ids.front(), french.find_id("eng_Latn"));
  EXPECT_EQ(family("nllb-old").with_source_language("fra_Latn").encode("x").ids.back(), french.find_id("fra_Latn"));
  EXPECT_THAT(error_of([&] { (void)french.with_source_language("xx"); }), StartsWith("InvalidInput"));
  EXPECT_THAT(error_of([&] { (void)family("gpt2").with_source_language("the"); }), StartsWith("Unsupported"));
}

TEST(Tokenizer, names_the_broken_file) {
  TokenizerFiles files = tokenizer_files("bert-uncased");
  files.tokenizer_config = R"({"model_max_length": "long"})";
  EXPECT_THAT(error_of([&] { (void)Tokenizer(files); }),
              AllOf(StartsWith("InvalidModel: tokenizer_config.json"), HasSubstr("model_max_length")));
  files.tokenizer_config = R"({"added_tokens_decoder": {"x": {"content": "a"}}})";
  EXPECT_THAT(error_of([&] { (void)Tokenizer(files); }), HasSubstr("added_tokens_decoder.x"));
  files.tokenizer_config = R"({"padding_side": "middle"})";
  EXPECT_THAT(error_of([&] { (void)Tokenizer(files); }), HasSubstr(R"(must be "right" or "left")"));
  files.tokenizer_config = "{";
  EXPECT_THAT(error_of([&] { (void)Tokenizer(files); }), StartsWith("InvalidModel: tokenizer_config.json"));
  files.tokenizer_config = R"({"tokenizer_class": "LlamaTokenizer", "bos_token": null})";
  EXPECT_THAT(error_of([&] { (void)Tokenizer(files); }), HasSubstr("bos_token is to be added but not given"));
}

TEST(Tokenizer, refuses_a_tokenizer_file_cut_anywhere) {
  const std::string whole = tokenizer_files("llama").tokenizer;
  for (std::size_t length = 0; length + 2 < whole.size(); length += 997) {
    EXPECT_THAT(error_of([&] { (void)Tokenizer({.tokenizer = whole.substr(0, length)}); }),
                StartsWith("InvalidModel: tokenizer.json"));
  }
}

TEST(Tokenizer, refuses_what_is_not_a_tokenizer) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  std::string nested = "null";
  for (int i = 0; i < 120; ++i) nested = R"({"type": "Sequence", "normalizers": [)" + nested + "]}";
  const std::array<std::string, 12> texts{
      "",
      "null",
      "[]",
      "{}",
      "\xFF\xFE",
      deep,
      R"({"version": "2.0"})",
      R"({"model": {"type": "BPE", "vocab": [], "merges": []}})",
      R"({"model": {"type": "WordPiece", "vocab": {"a": -1}}})",
      R"({"model": {"type": "Unigram", "unk_id": 7, "vocab": [["a", 0.0]]}})",
      R"({"added_tokens": [{"id": 0}], "model": {"type": "WordLevel", "vocab": {}, "unk_token": "a"}})",
      R"({"normalizer": )" + nested + R"(, "model": 1})",
  };
  for (const std::string& text : texts) {
    EXPECT_THAT(error_of([&] { (void)Tokenizer({.tokenizer = text}); }), StartsWith("InvalidModel: tokenizer.json"))
        << text.substr(0, 100);
  }
}

TEST(Tokenizer, turns_panics_into_errors) {
  // The crate panics for a template that asks for a text which a single text doesn't have.
  const Tokenizer tokenizer({.tokenizer = R"({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"},
    "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "B", "type_id": 0}}],
      "pair": [], "special_tokens": {}}})"});
  EXPECT_THAT(error_of([&] { (void)tokenizer.encode("a"); }),
              AnyOf(StartsWith("Internal"), StartsWith("InvalidInput")));
}

TEST(Tokenizer, serves_many_threads_at_once) {
  const Tokenizer shared = family("roberta");
  const auto strings = Json::read(tokenizer_file("corpus.json")).get<std::vector<std::string>>("strings");
  const std::span some(strings.data(), 400);
  std::vector<Encoding> expected;
  for (const std::string& string : some) expected.push_back(shared.encode(string, {.max_length = 24}));
  constexpr std::size_t kThreads = 8;
  std::array<std::size_t, kThreads> differences{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread, own = shared] {
        for (std::size_t i = 0; i < some.size(); ++i) {
          const std::size_t index = (i * 7 + thread * 50) % some.size();
          const Encoding row = own.encode(some[index], {.max_length = 24});
          const bool same = row.ids == expected[index].ids && row.offsets == expected[index].offsets;
          differences[thread] += same && own.decode(row.ids) == shared.decode(expected[index].ids) ? 0 : 1;
        }
      });
    }
  }
  EXPECT_EQ(std::accumulate(differences.begin(), differences.end(), std::size_t{0}), 0U);
}

}  // namespace
}  // namespace transmuter
