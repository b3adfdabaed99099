// The steps around a GLiNER model, with numbers made by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "support/errors.hpp"
#include "tasks/text/gliner_config.hpp"
#include "tasks/text/gliner_decoder.hpp"
#include "tasks/text/gliner_inputs.hpp"
#include "tasks/text/gliner_prompt.hpp"
#include "tasks/text/words.hpp"

namespace transmuter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Spans = std::vector<LabelledWords>;

// ---- configuration ----

GlinerConfig config_of(const std::string& json) {
  return GlinerConfig::from_json(Json::parse(json, "gliner_config.json"));
}

TEST(GlinerConfig, has_the_defaults_of_old_files) {
  const GlinerConfig config = config_of(R"({"lr_encoder": "1e-5", "labels_encoder": null, "max_len": null})");
  EXPECT_EQ(config.max_len, 384U);
  EXPECT_EQ(config.max_width, 12U);
  EXPECT_FALSE(config.token_level);
  EXPECT_EQ(config.subtoken_pooling, SubtokenPooling::First);
  EXPECT_EQ(config.ent_token, "<<ENT>>");
  EXPECT_EQ(config.sep_token, "<<SEP>>");
}

TEST(GlinerConfig, reads_what_there_is) {
  const GlinerConfig config = config_of(R"({"max_len": 2048, "max_width": 100, "span_mode": "token_level",
      "subtoken_pooling": "max", "ent_token": "[E]", "sep_token": "[S]"})");
  EXPECT_EQ(config.max_len, 2048U);
  EXPECT_EQ(config.max_width, 100U);
  EXPECT_TRUE(config.token_level);
  EXPECT_EQ(config.subtoken_pooling, SubtokenPooling::All);
  EXPECT_EQ(config.ent_token, "[E]");
  EXPECT_EQ(config.sep_token, "[S]");
}

TEST(GlinerConfig, names_what_is_wrong) {
  const auto error = [](const std::string& json) { return error_of([&] { (void)config_of(json); }); };
  EXPECT_THAT(error(R"({"words_splitter_type": "universal"})"), HasSubstr("Unsupported: gliner_config.json"));
  EXPECT_THAT(error(R"({"words_splitter_type": "universal"})"), HasSubstr("\"universal\""));
  EXPECT_THAT(error(R"({"max_width": -1})"), HasSubstr("InvalidModel: gliner_config.json: max_width"));
  EXPECT_THAT(error(R"({"max_len": 1.5})"), HasSubstr("InvalidModel: gliner_config.json: max_len"));
  EXPECT_THAT(error(R"({"ent_token": 5})"), HasSubstr("InvalidModel: gliner_config.json: ent_token"));
  EXPECT_THAT(error("[]"), HasSubstr("InvalidModel: gliner_config.json"));
}

// ---- prompt ----

TEST(Prompt, has_each_label_once_and_as_one_word) {
  const std::string text = "Anna lives.";
  const std::vector<std::string> given = {"b c", "a", "b c", "", "a"};
  const auto labels = without_repeats(given);
  EXPECT_THAT(labels, ElementsAre("b c", "a", ""));
  const GlinerWords made = words_with_prompt(labels, text, split_words(text), {});
  EXPECT_THAT(made.words, ElementsAre("<<ENT>>", "b c", "<<ENT>>", "a", "<<ENT>>", "<<SEP>>", "Anna", "lives", "."));
  EXPECT_EQ(made.prompt_size, 6U);
}

TEST(WordsMask, marks_the_tokens_that_stand_for_a_word) {
  // Added, two words of the prompt, words of one, three and two tokens, added.
  const std::vector<std::int32_t> words = {-1, 0, 1, 1, 2, 3, 3, 3, 4, 4, -1};
  EXPECT_THAT(words_mask(words, 2, SubtokenPooling::First), ElementsAre(0, 0, 0, 0, 1, 2, 0, 0, 3, 0, 0));
  EXPECT_THAT(words_mask(words, 2, SubtokenPooling::Last), ElementsAre(0, 0, 0, 0, 1, 0, 0, 2, 0, 3, 0));
  EXPECT_THAT(words_mask(words, 2, SubtokenPooling::All), ElementsAre(0, 0, 0, 0, 1, 2, 2, 2, 3, 3, 0));
}

TEST(WordsMask, does_not_count_words_without_tokens) {
  const std::vector<std::int32_t> gap_in_text = {-1, 0, 1, 2, 4, -1};
  EXPECT_THAT(words_mask(gap_in_text, 2, SubtokenPooling::First), ElementsAre(0, 0, 0, 1, 2, 0));
  // Word 1 of the prompt has no token: the first word of the text counts for it.
  const std::vector<std::int32_t> gap_in_prompt = {-1, 0, 2, 3, -1};
  EXPECT_THAT(words_mask(gap_in_prompt, 2, SubtokenPooling::First), ElementsAre(0, 0, 0, 1, 0));
}

TEST(WordsMask, may_be_empty) { EXPECT_THAT(words_mask({}, 3, SubtokenPooling::Last), IsEmpty()); }

// ---- inputs ----

TEST(GlinerInputs, are_padded_to_the_longest_row) {
  const GlinerRow longer{.encoding = {}, .words_mask = {0, 1, 2, 0}, .words = {{0, 1}, {2, 3}}, .labels = {}};
  const GlinerRow shorter{.encoding = {}, .words_mask = {0, 1}, .words = {{0, 1}}, .labels = {}};
  const std::vector<const GlinerRow*> rows = {&shorter, &longer};
  const auto values = [&](std::string_view name, std::size_t row_count) {
    const Tensor tensor = fill_gliner_input(name, rows, row_count, 4, 3);
    const auto view = tensor.view<std::int64_t>();
    return std::vector<std::int64_t>(view.begin(), view.end());
  };
  EXPECT_THAT(values("words_mask", 2), ElementsAre(0, 1, 0, 0, 0, 1, 2, 0));
  EXPECT_THAT(values("text_lengths", 3), ElementsAre(1, 2, 2));  // a third row that the graph wants
  EXPECT_THAT(values("span_idx", 2), ElementsAre(0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0,  //
                                                 0, 0, 0, 1, 0, 2, 1, 1, 1, 2, 1, 3));
  const Tensor mask = fill_gliner_input("span_mask", rows, 2, 4, 3);
  EXPECT_THAT(mask.view<bool>(), ElementsAre(true, false, false, false, false, false,  //
                                             true, true, false, true, false, false));
  EXPECT_EQ(mask.shape(), (Shape{2, 6}));
  EXPECT_EQ(fill_gliner_input("span_idx", rows, 2, 4, 3).shape(), (Shape{2, 6, 2}));
}

// ---- decoders ----

TEST(SpansAbove, come_by_word_width_and_label_and_end_inside_the_text) {
  // Two words, widths 1 and 2, two classes of which one was asked for.
  const std::vector<float> scores = {0.6F, 0.9F, 0.7F, 0.9F,  //
                                     0.5F, 0.9F, 0.8F, 0.9F};
  const GlinerScores given{.scores = scores, .words = 2, .classes = 2, .labels = 1};
  EXPECT_EQ(spans_above(given, 2, 0.5), (Spans{{0, 0, 0, 0.6F}, {0, 1, 0, 0.7F}}));
  EXPECT_EQ(spans_above(given, 2, 0.4), (Spans{{0, 0, 0, 0.6F}, {0, 1, 0, 0.7F}, {1, 1, 0, 0.5F}}));
}

TEST(SpansAbove, rounds_the_threshold_to_float) {
  const std::vector<float> scores = {0.3F};  // a little more than 0.3
  EXPECT_THAT(spans_above({.scores = scores, .words = 1, .classes = 1, .labels = 1}, 1, 0.3), IsEmpty());
}

TEST(TokenSpansAbove, need_a_begin_an_end_and_all_inside) {
  // One label; begin, end, inside of each of four words.
  const std::vector<float> scores = {0.9F, 0.2F, 0.8F,  //
                                     0.7F, 0.6F, 0.5F,  //
                                     0.1F, 0.9F, 0.4F,  //
                                     0.1F, 0.9F, 0.9F};
  const GlinerScores given{.scores = scores, .words = 4, .classes = 1, .labels = 1};
  EXPECT_EQ(token_spans_above(given, 0.5), (Spans{{0, 1, 0, 0.5F}, {1, 1, 0, 0.5F}}));
  EXPECT_EQ(token_spans_above(given, 0.3), (Spans{{0, 1, 0, 0.5F},
                                                  {0, 2, 0, 0.4F},
                                                  {0, 3, 0, 0.4F},  //
                                                  {1, 1, 0, 0.5F},
                                                  {1, 2, 0, 0.4F},
                                                  {1, 3, 0, 0.4F}}));
}

TEST(TokenSpansAbove, have_the_lowest_of_all_scores) {
  const auto score = [](std::vector<float> scores) {
    return token_spans_above({.scores = scores, .words = 1, .classes = 1, .labels = 1}, 0.5).at(0).score;
  };
  EXPECT_EQ(score({0.6F, 0.8F, 0.9F}), 0.6F);
  EXPECT_EQ(score({0.8F, 0.6F, 0.9F}), 0.6F);
  EXPECT_EQ(score({0.8F, 0.9F, 0.6F}), 0.6F);
}

TEST(TokenSpansAbove, come_by_word_and_label) {
  const std::vector<float> scores(2 * 2 * 3, 0.9F);
  const GlinerScores given{.scores = scores, .words = 2, .classes = 2, .labels = 2};
  EXPECT_EQ(token_spans_above(given, 0.5), (Spans{{0, 0, 0, 0.9F},
                                                  {0, 1, 0, 0.9F},
                                                  {0, 0, 1, 0.9F},  //
                                                  {0, 1, 1, 0.9F},
                                                  {1, 1, 0, 0.9F},
                                                  {1, 1, 1, 0.9F}}));
}

TEST(TokenSpansAbove, compares_what_is_inside_without_rounding) {
  // 0.7F is a little less than 0.7: as begin and end it is not above the rounded threshold, inside it is below.
  const auto spans = [](std::vector<float> scores, double threshold) {
    return token_spans_above({.scores = scores, .words = 1, .classes = 1, .labels = 1}, threshold);
  };
  EXPECT_THAT(spans({0.7F, 0.9F, 0.9F}, 0.7), IsEmpty());
  EXPECT_THAT(spans({0.9F, 0.7F, 0.9F}, 0.7), IsEmpty());
  EXPECT_THAT(spans({0.9F, 0.9F, 0.7F}, 0.7), IsEmpty());
  EXPECT_EQ(spans({0.9F, 0.9F, 0.3F}, 0.3), (Spans{{0, 0, 0, 0.3F}}));  // 0.3F is a little more
}

TEST(GreedySearch, takes_the_best_and_what_is_beside_it) {
  const Spans spans = {{0, 1, 0, 0.7F}, {1, 2, 1, 0.9F}, {3, 3, 0, 0.6F}, {2, 3, 2, 0.8F}};
  EXPECT_EQ(greedy_search(spans, true, false), (Spans{{1, 2, 1, 0.9F}, {3, 3, 0, 0.6F}}));
}

TEST(GreedySearch, keeps_equal_scores_in_their_order) {
  const Spans spans = {{0, 0, 1, 0.5F}, {0, 1, 0, 0.5F}, {0, 0, 0, 0.5F}};
  EXPECT_EQ(greedy_search(spans, true, false), (Spans{{0, 0, 1, 0.5F}}));
  EXPECT_EQ(greedy_search(spans, true, true), (Spans{{0, 0, 1, 0.5F}, {0, 0, 0, 0.5F}}));
}

TEST(GreedySearch, lets_spans_nest_but_not_cross_without_flat_ner) {
  const Spans spans = {{0, 3, 0, 0.9F}, {1, 2, 1, 0.8F}, {2, 4, 0, 0.7F}, {1, 2, 0, 0.6F}, {0, 0, 0, 0.5F}};
  EXPECT_EQ(greedy_search(spans, false, false), (Spans{{0, 3, 0, 0.9F}, {0, 0, 0, 0.5F}, {1, 2, 1, 0.8F}}));
  EXPECT_EQ(greedy_search(spans, false, true),
            (Spans{{0, 3, 0, 0.9F}, {0, 0, 0, 0.5F}, {1, 2, 1, 0.8F}, {1, 2, 0, 0.6F}}));
}

// The rule as it is written in gliner: each span against each one that was taken.
Spans by_comparing_all(Spans spans, bool flat_ner, bool multi_label) {
  std::ranges::stable_sort(spans, [](const auto& a, const auto& b) { return a.score > b.score; });
  Spans taken;
  for (const LabelledWords& span : spans) {
    const bool is_free = std::ranges::none_of(taken, [&](const LabelledWords& other) {
      if (span.first == other.first && span.last == other.last) return !multi_label;
      const bool apart = span.first > other.last || other.first > span.last;
      const bool inside = (span.first <= other.first && span.last >= other.last) ||
                          (other.first <= span.first && other.last >= span.last);
      return !apart && (flat_ner || !inside);
    });
    if (is_free) taken.push_back(span);
  }
  std::ranges::stable_sort(taken, [](const auto& a, const auto& b) { return a.first < b.first; });
  return taken;
}

TEST(GreedySearch, gives_what_comparing_all_gives) {
  std::mt19937 random(5);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  for (int round = 0; round < 400; ++round) {
    Spans spans;
    for (std::uint32_t i = below(60); i > 0; --i) {
      const std::uint32_t first = below(12);
      spans.push_back({first, first + below(5), below(3), 0.5F + static_cast<float>(below(8)) / 16});
    }
    for (const bool flat_ner : {true, false}) {
      for (const bool multi_label : {true, false}) {
        EXPECT_EQ(greedy_search(spans, flat_ner, multi_label), by_comparing_all(spans, flat_ner, multi_label));
      }
    }
  }
}

}  // namespace
}  // namespace transmuter
