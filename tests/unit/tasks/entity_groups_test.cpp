#include "tasks/text/entity_groups.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transmuter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TokenRole kSpecial = TokenRole::Special;
constexpr TokenRole kStart = TokenRole::Start;
constexpr TokenRole kContinues = TokenRole::Continues;

/// Logits whose softmax are these probabilities.
std::vector<float> logits_of(std::vector<float> probabilities) {
  for (float& value : probabilities) value = std::log(value);
  return probabilities;
}

/// "first-last label score" of each, with the score in hundredths.
std::vector<std::string> printed(const std::vector<LabelledTokens>& spans) {
  std::vector<std::string> all;
  for (const auto& [first, last, label, score] : spans) {
    all.push_back(fmt::format("{}-{} {} {}", first, last, label, std::lround(score * 100)));
  }
  return all;
}

class LabelTokens : public ::testing::Test {
 protected:
  // [CLS], a word of three tokens, a word of one, [SEP].
  const std::vector<TokenRole> roles_{kSpecial, kStart, kContinues, kContinues, kStart, kSpecial};
  const std::vector<float> logits_ = logits_of({0.90F, 0.05F, 0.05F,  //
                                                0.50F, 0.30F, 0.20F,  //
                                                0.10F, 0.60F, 0.30F,  //
                                                0.20F, 0.45F, 0.35F,  //
                                                0.20F, 0.10F, 0.70F,  //
                                                0.05F, 0.05F, 0.90F});

  std::vector<std::string> with(Aggregation aggregation) const {
    return printed(label_tokens(logits_, roles_, aggregation));
  }
};

TEST_F(LabelTokens, leaves_special_tokens_out) {
  const std::vector<std::string> each{"1-2 0 50", "2-3 1 60", "3-4 1 45", "4-5 2 70"};
  EXPECT_EQ(with(Aggregation::None), each);
  EXPECT_EQ(with(Aggregation::Simple), each);
}

TEST_F(LabelTokens, gives_a_word_one_label) {
  EXPECT_THAT(with(Aggregation::First), ElementsAre("1-4 0 50", "4-5 2 70"));
  EXPECT_THAT(with(Aggregation::Average), ElementsAre("1-4 1 45", "4-5 2 70"));
  EXPECT_THAT(with(Aggregation::Max), ElementsAre("1-4 1 60", "4-5 2 70"));
}

TEST(LabelTokensOfEqualScores, takes_the_first_label_and_the_first_token) {
  const std::vector<float> equal = logits_of({0.5F, 0.5F, 0.5F, 0.5F});
  const std::vector<TokenRole> roles{kStart, kContinues};
  EXPECT_THAT(printed(label_tokens(equal, roles, Aggregation::None)), ElementsAre("0-1 0 50", "1-2 0 50"));
  for (const Aggregation aggregation : {Aggregation::First, Aggregation::Average, Aggregation::Max}) {
    EXPECT_THAT(printed(label_tokens(equal, roles, aggregation)), ElementsAre("0-2 0 50"));
  }
  const std::vector<float> crossed = logits_of({0.4F, 0.6F, 0.6F, 0.4F});
  EXPECT_THAT(printed(label_tokens(crossed, roles, Aggregation::Max)), ElementsAre("0-2 1 60"));
}

TEST(LabelTokensOfOddRows, begins_a_word_with_any_token_and_takes_no_tokens) {
  const std::vector<TokenRole> roles{kContinues, kContinues};
  EXPECT_THAT(printed(label_tokens(logits_of({0.4F, 0.6F, 0.3F, 0.7F}), roles, Aggregation::First)),
              ElementsAre("0-2 1 60"));
  EXPECT_THAT(label_tokens({}, {}, Aggregation::Simple), IsEmpty());
}

TEST(LabelTag, takes_prefixes_off) {
  const auto parts = [](const std::string& name) {
    const LabelTag tag = label_tag(name);
    return std::vector<std::string>{tag.begins ? "B" : "I", tag.tag, tag.group};
  };
  EXPECT_THAT(parts("B-PER"), ElementsAre("B", "PER", "PER"));
  EXPECT_THAT(parts("I-PER"), ElementsAre("I", "PER", "PER"));
  EXPECT_THAT(parts("PER"), ElementsAre("I", "PER", "PER"));
  EXPECT_THAT(parts("I-GPE-LOC"), ElementsAre("I", "GPE-LOC", "GPE-LOC"));
  EXPECT_THAT(parts("GPE-LOC"), ElementsAre("I", "GPE-LOC", "LOC"));
  EXPECT_THAT(parts("b-PER"), ElementsAre("I", "b-PER", "PER"));
  EXPECT_THAT(parts("B-"), ElementsAre("B", "", ""));
  EXPECT_THAT(parts(""), ElementsAre("I", "", ""));
}

TEST(GroupSpans, joins_neighbours_of_one_tag_until_one_begins) {
  const std::vector<LabelTag> tags{label_tag("O"), label_tag("B-PER"), label_tag("I-PER"), label_tag("PER"),
                                   label_tag("I-LOC")};
  const auto groups = [&](const std::vector<std::size_t>& labels) {
    std::vector<LabelledTokens> spans;
    for (const std::size_t label : labels) spans.push_back({.label = label, .score = 0.5F});
    std::vector<std::string> all;
    for (const SpanGroup& group : group_spans(spans, tags))
      all.push_back(fmt::format("{}-{}", group.first, group.last));
    return all;
  };
  EXPECT_THAT(groups({1, 2, 2}), ElementsAre("0-3"));
  EXPECT_THAT(groups({1, 1, 2}), ElementsAre("0-1", "1-3"));
  EXPECT_THAT(groups({2, 1}), ElementsAre("0-1", "1-2"));
  EXPECT_THAT(groups({2, 3, 2}), ElementsAre("0-3"));
  EXPECT_THAT(groups({1, 4, 2}), ElementsAre("0-1", "1-2", "2-3"));
  EXPECT_THAT(groups({0, 0, 1}), ElementsAre("0-2", "2-3"));
  EXPECT_THAT(groups({}), IsEmpty());
}

TEST(GroupSpans, have_the_mean_score) {
  const std::vector<LabelTag> tags{label_tag("I-PER")};
  const std::vector<LabelledTokens> spans{{.score = 0.2F}, {.score = 0.4F}, {.score = 0.9F}};
  const auto groups = group_spans(spans, tags);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_FLOAT_EQ(groups.front().score, 0.5F);
}

/// "label start-end" of each that is kept.
std::vector<std::string> kept(const std::string& text, const std::vector<Entity>& entities) {
  std::vector<std::string> all;
  for (const Entity& entity : without_overlaps(entities, CodePointIndex(text))) {
    all.push_back(fmt::format("{} {}-{}", entity.label, entity.start, entity.end));
  }
  return all;
}

Entity entity(const std::string& label, std::size_t start, std::size_t end, float score) {
  return {.label = label, .phrase = "", .start = start, .end = end, .score = score};
}

TEST(WithoutOverlaps, keeps_the_longest_then_the_surest) {
  const std::string text(20, 'a');
  EXPECT_THAT(kept(text, {entity("a", 0, 4, 0.9F), entity("b", 2, 8, 0.1F)}), ElementsAre("b 2-8"));
  EXPECT_THAT(kept(text, {entity("a", 0, 6, 0.1F), entity("b", 2, 6, 0.9F)}), ElementsAre("a 0-6"));
  EXPECT_THAT(kept(text, {entity("a", 0, 4, 0.1F), entity("b", 0, 4, 0.9F)}), ElementsAre("b 0-4"));
  EXPECT_THAT(kept(text, {entity("a", 0, 4, 0.9F), entity("b", 0, 4, 0.9F)}), ElementsAre("a 0-4"));
  EXPECT_THAT(kept(text, {entity("a", 0, 4, 0.9F), entity("b", 4, 9, 0.9F)}), ElementsAre("a 0-4", "b 4-9"));
  EXPECT_THAT(kept(text, {entity("b", 8, 9, 0.9F), entity("a", 0, 4, 0.9F)}), ElementsAre("a 0-4", "b 8-9"));
  EXPECT_THAT(kept(text, {}), IsEmpty());
}

TEST(WithoutOverlaps, compares_with_the_one_that_won_last) {
  const std::string text(20, 'a');
  EXPECT_THAT(kept(text, {entity("a", 0, 4, 0.5F), entity("b", 3, 9, 0.5F), entity("c", 5, 7, 0.9F)}),
              ElementsAre("b 3-9"));
}

TEST(WithoutOverlaps, counts_code_points) {
  const std::string text = "日本語abcdefghij";  // three letters of three bytes
  EXPECT_THAT(kept(text, {entity("bytes", 0, 9, 0.9F), entity("letters", 6, 13, 0.1F)}), ElementsAre("letters 6-13"));
}

TEST(WithoutOverlaps, repeats_a_first_one_without_length_as_python_does) {
  EXPECT_THAT(kept("abc", {entity("a", 1, 1, 0.5F), entity("b", 2, 3, 0.5F)}), ElementsAre("a 1-1", "a 1-1", "b 2-3"));
}

}  // namespace
}  // namespace transmuter
