#include "tasks/text/answer_spans.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace transmuter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<float> logits_of(std::vector<float> probabilities) {
  for (float& value : probabilities) value = std::log(value);
  return probabilities;
}

/// "start-end score" of each, with the score in ten thousandths.
std::vector<std::string> printed(const std::vector<AnswerSpan>& spans) {
  std::vector<std::string> all;
  for (const auto& [start, end, score] : spans) {
    all.push_back(fmt::format("{}-{} {}", start, end, std::lround(score * 10000)));
  }
  return all;
}

class AnswerSpans : public ::testing::Test {
 protected:
  // [CLS], a token of the question, three of the context.
  const std::vector<std::uint8_t> allowed_{1, 0, 1, 1, 1};
  const std::vector<float> starts_ = logits_of({0.1F, 0.9F, 0.2F, 0.4F, 0.3F});
  const std::vector<float> ends_ = logits_of({0.2F, 0.9F, 0.3F, 0.1F, 0.4F});

  WindowAnswers with(SpanLimits limits) const { return answer_spans(starts_, ends_, allowed_, limits); }
};

TEST_F(AnswerSpans, are_in_the_context_and_end_after_their_start) {
  EXPECT_THAT(printed(with({.max_tokens = 9, .count = 9}).spans),
              ElementsAre("3-4 1600", "4-4 1200", "2-4 800", "2-2 600", "3-3 400", "2-3 200"));
}

TEST_F(AnswerSpans, are_as_many_and_as_long_as_allowed) {
  EXPECT_THAT(printed(with({.max_tokens = 9, .count = 2}).spans), ElementsAre("3-4 1600", "4-4 1200"));
  EXPECT_THAT(printed(with({.max_tokens = 1, .count = 9}).spans), ElementsAre("4-4 1200", "2-2 600", "3-3 400"));
  EXPECT_THAT(printed(with({.max_tokens = 2, .count = 1}).spans), ElementsAre("3-4 1600"));
}

TEST_F(AnswerSpans, have_the_probability_of_none_from_the_first_token) {
  EXPECT_NEAR(with({}).null_score, 0.1F * 0.2F, 1e-6);
}

TEST(AnswerSpansOfOddRows, give_no_answer) {
  const std::vector<std::uint8_t> only_cls{1, 0, 0};
  const std::vector<float> logits{1, 2, 3};
  const WindowAnswers answers = answer_spans(logits, logits, only_cls, {});
  EXPECT_THAT(answers.spans, IsEmpty());
  EXPECT_EQ(answers.null_score, 1.0F);
  EXPECT_THAT(answer_spans({}, {}, {}, {}).spans, IsEmpty());
  const std::vector<std::uint8_t> none{0, 0, 0};
  EXPECT_THAT(answer_spans(logits, logits, none, {}).spans, IsEmpty());
}

TEST(AnswerSpansOfEqualScores, come_in_the_order_of_the_text) {
  const std::vector<float> logits(4, 1.0F);
  const std::vector<std::uint8_t> allowed{1, 1, 1, 1};
  EXPECT_THAT(printed(answer_spans(logits, logits, allowed, {.max_tokens = 2, .count = 3}).spans),
              ElementsAre("1-1 625", "1-2 625", "2-2 625"));
}

TEST(AnswerSpansOfLongRows, look_only_as_far_as_an_answer_may_reach) {
  const std::vector<float> logits(20'000, 0.5F);
  const std::vector<std::uint8_t> allowed(logits.size(), 1);
  EXPECT_THAT(answer_spans(logits, logits, allowed, {.max_tokens = 15, .count = 12}).spans, SizeIs(12));
  const auto most = std::numeric_limits<std::size_t>::max();
  const std::vector<float> short_row(50, 0.5F);
  EXPECT_THAT(
      answer_spans(short_row, short_row, std::span(allowed).first(50), {.max_tokens = most, .count = most}).spans,
      SizeIs(49 * 50 / 2));
}

// [CLS] who ? [SEP] the harb ##our . [SEP]
Encoding row_of_harbour() {
  return {.ids = {1, 10, 11, 2, 12, 13, 14, 15, 2},
          .type_ids = std::vector<std::int64_t>(9, 0),
          .offsets = {{0, 0}, {0, 3}, {3, 4}, {0, 0}, {0, 3}, {4, 8}, {8, 11}, {11, 12}, {0, 0}},
          .word_ids = {-1, 0, 1, -1, 0, 1, 1, 2, -1},
          .sequence_ids = {-1, 0, 0, -1, 1, 1, 1, 1, -1},
          .special_tokens_mask = {1, 0, 0, 1, 0, 0, 0, 0, 1}};
}
const std::string kWho = "who?";
const std::string kHarbour = "the harbour.";

std::string found(const Encoding& row, const AnswerSpan& span, const PairLayout& layout, bool align_to_words) {
  const auto [start, end] = context_range(row, span, layout, align_to_words, kWho, kHarbour);
  return fmt::format("{}-{}", start, end);
}

TEST(AllowedTokens, are_those_of_the_context_and_the_first) {
  EXPECT_THAT(allowed_tokens(row_of_harbour(), {.cls_id = 1}), ElementsAre(1, 0, 0, 0, 1, 1, 1, 1, 0));
  EXPECT_THAT(allowed_tokens(row_of_harbour(), {}), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 0));
  EXPECT_THAT(allowed_tokens(row_of_harbour(), {.cls_id = 14}), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 0));
  EXPECT_THAT(allowed_tokens(row_of_harbour(), {.cls_id = 10}), ElementsAre(0, 1, 0, 0, 1, 1, 1, 1, 0));
}

TEST(AllowedTokens, are_all_when_the_context_is_first) {
  EXPECT_THAT(allowed_tokens(row_of_harbour(), {.question_first = false}), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1));
}

TEST(ContextRange, grows_to_words) {
  EXPECT_EQ(found(row_of_harbour(), {.start = 4, .end = 5}, {}, true), "0-11");
  EXPECT_EQ(found(row_of_harbour(), {.start = 6, .end = 6}, {}, true), "4-11");
  EXPECT_EQ(found(row_of_harbour(), {.start = 6, .end = 6}, {}, false), "8-11");
  EXPECT_EQ(found(row_of_harbour(), {.start = 4, .end = 5}, {}, false), "0-8");
}

TEST(ContextRange, takes_tokens_as_they_are_when_one_is_in_no_word) {
  EXPECT_EQ(found(row_of_harbour(), {.start = 0, .end = 5}, {}, true), "0-8");
  EXPECT_EQ(found(row_of_harbour(), {.start = 5, .end = 8}, {}, true), "4-0");
}

TEST(ContextRange, takes_the_words_of_a_question_for_those_of_the_context) {
  EXPECT_EQ(found(row_of_harbour(), {.start = 1, .end = 2}, {}, true), "0-11");
  EXPECT_EQ(found(row_of_harbour(), {.start = 1, .end = 2}, {}, false), "0-4");
}

TEST(ContextRange, counts_letters_where_a_token_is_of_the_question) {
  Encoding row = row_of_harbour();
  row.offsets[1] = {0, 6};  // "日本"
  const auto range = context_range(row, {.start = 1, .end = 1}, {}, false, "日本?", "é日b");
  EXPECT_EQ(range, (ByteRange{0, 5}));
  row.offsets[1] = {0, 7};
  EXPECT_EQ(context_range(row, {.start = 1, .end = 1}, {}, false, "日本?", "a"), (ByteRange{0, 1}));
}

TEST(ContextRange, moves_by_pad_tokens_when_padding_is_on_the_left) {
  const PairLayout left{.question_first = false, .cls_id = 1, .pad_id = 14};
  Encoding row = row_of_harbour();
  row.sequence_ids = {-1, 0, 0, -1, 1, 1, 1, 1, -1};
  EXPECT_EQ(found(row, {.start = 2, .end = 3}, left, false), "0-4");
  EXPECT_EQ(found(row, {.start = 0, .end = 1}, left, true), "0-0");  // the last token, and the first
  EXPECT_EQ(found(row_of_harbour(), {.start = 6, .end = 6}, {.pad_id = 14}, false), "8-11");
  // A token before the beginning is one at the end, and has no word.
  row.sequence_ids[8] = 0;
  row.word_ids[8] = 1;
  row.offsets[8] = {5, 9};
  EXPECT_EQ(found(row, {.start = 0, .end = 0}, left, true), "5-9");
  EXPECT_EQ(found(row, {.start = 2, .end = 3}, left, true), "0-9");
}

TEST(AnswerSums, add_up_equal_texts_in_any_case) {
  AnswerSums sums("Ab ab AB ΣΑΣ σας c");
  sums.add({3, 5}, 0.25);
  sums.add({16, 16}, 0.5);
  sums.add({0, 2}, 0.125);
  sums.add({6, 8}, 0.125);
  sums.add({9, 15}, 1);
  sums.add({16, 22}, 1);
  sums.add({8, 2}, 2);
  const auto all = sums.take();
  std::vector<std::string> texts;
  for (const auto& [range, score] : all) texts.push_back(fmt::format("{}-{} {}", range.start, range.end, score));
  EXPECT_THAT(texts, ElementsAre("3-5 0.5", "16-16 2.5", "9-15 2"));
}

}  // namespace
}  // namespace transmuter
