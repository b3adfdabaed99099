// The examples of the README and of the public headers, on models of this repository.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <transmuter/transmuter.hpp>

#include "support/errors.hpp"

namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::string kModels = TRANSMUTER_TESTS_DIR "/models/";

TEST(Examples, of_the_readme_run) {
  auto serving = transmuter::text::text_embedding(transmuter::builtin_model());
  const std::vector<float> one = serving.run("The cat sat on the mat.").embedding.values;
  EXPECT_THAT(one, SizeIs(384));
  EXPECT_THAT(serving.run({"first text", "second text"}), SizeIs(2));
  auto started = serving.start({.batch_size = 32});
  EXPECT_THAT(started.run("from any thread").embedding.values, SizeIs(384));
}

TEST(Examples, of_text_classification_run) {
  auto serving = transmuter::text::text_classification(transmuter::dir(kModels + "text_classification/pairs_bert"));
  const auto pair =
      serving.run(transmuter::TextOrPair("How many people live in Berlin?", "Berlin has 3,520,031 inhabitants."));
  const auto alone = serving.run("How many people live in Berlin?");
  EXPECT_THAT(pair.predictions, SizeIs(3));
  EXPECT_NE(pair.predictions.front().score, alone.predictions.front().score);
}

TEST(Examples, of_question_answering_run) {
  auto serving = transmuter::text::question_answering(transmuter::dir(kModels + "question_answering/bert"));
  const std::string context = "The Eiffel Tower is a tower in Paris.";
  const auto answers = serving.run({.question = "Where is the Eiffel Tower?", .context = context});
  ASSERT_THAT(answers.results, SizeIs(1));
  const transmuter::Answer& answer = answers.results.front();
  EXPECT_EQ(context.substr(answer.start, answer.end - answer.start), answer.text);
}

TEST(Examples, of_token_classification_run) {
  auto serving = transmuter::text::token_classification(transmuter::dir(kModels + "token_classification/bert"),
                                                        {.aggregation = transmuter::Aggregation::Simple});
  EXPECT_THAT(serving.run("Hugging Face Inc. is a company based in New York City.").entities, Not(IsEmpty()));
}

TEST(Examples, of_zero_shot_entity_recognition_run) {
  auto serving = transmuter::text::zero_shot_entity_recognition(
      transmuter::dir(kModels + "zero_shot_entity_recognition/span"), {.threshold = 0.01});
  const std::string text = "Cristiano Ronaldo plays for Al Nassr.";
  const auto found = serving.run(transmuter::TextWithLabels(text, {"person", "organization"}));
  for (const transmuter::Entity& entity : found.entities) {
    EXPECT_EQ(text.substr(entity.start, entity.end - entity.start), entity.phrase);
  }
}

TEST(Examples, of_text_ranking_run) {
  auto serving = transmuter::text::text_ranking(transmuter::dir(kModels + "text_ranking/bert"));
  const auto ranking =
      serving.run({.query = "How many people live in Berlin?",
                   .documents = {"New York City is famous for a museum.", "Berlin has 3,520,031 inhabitants."}});
  ASSERT_THAT(ranking.results, SizeIs(2));
  EXPECT_NE(ranking.results[0].index, ranking.results[1].index);
  EXPECT_GE(ranking.results[0].score, ranking.results[1].score);
  EXPECT_FALSE(ranking.results[0].text);
  EXPECT_THAT(transmuter::error_of([&] { (void)serving.run({.query = "a", .documents = {"b", "\xFF"}}); }),
              StartsWith("InvalidInput: documents[1]"));
  EXPECT_THAT(transmuter::error_of([&] { (void)serving.run({.query = "a\xC0", .documents = {"b"}}); }),
              StartsWith("InvalidInput: query: the text is not valid UTF-8 at byte 1"));
}

TEST(Examples, of_zero_shot_classification_run) {
  const auto source = transmuter::dir(kModels + "zero_shot_classification/bert");
  auto serving = transmuter::text::zero_shot_classification(source, {"urgent", "phone", "tablet"});
  EXPECT_THAT(serving.run("My iphone is broken and I need it fixed today!").predictions, SizeIs(3));
  EXPECT_THAT(serving.run({"a text", {"of", "own labels"}}).predictions, SizeIs(2));
  auto without = transmuter::text::zero_shot_classification(source, {.multi_label = true});
  EXPECT_THAT(transmuter::error_of([&] { (void)without.run("a"); }), StartsWith("InvalidInput: labels"));
}

TEST(Examples, of_fill_mask_run) {
  auto serving = transmuter::text::fill_mask(transmuter::dir(kModels + "fill_mask/bert"), {.top_k = 3});
  const auto one = serving.run("Paris is the capital of [MASK].");
  ASSERT_THAT(one.predictions, SizeIs(1));
  ASSERT_THAT(one.predictions.front(), SizeIs(3));
  EXPECT_FALSE(one.predictions.front().front().token.empty());
  EXPECT_THAT(serving.run("[MASK] and [MASK]").predictions, SizeIs(2));
}

TEST(Examples, options_have_the_names_of_the_guide) {
  const auto source = transmuter::dir(kModels + "text_embedding/all_variants");
  auto serving =
      transmuter::text::text_embedding(source, {.output_pool = transmuter::OutputPool::ClsTokenPooling,
                                                .embedding_processor = transmuter::EmbeddingProcessor::L2Norm,
                                                .compile = {.batch_size = 8, .sequence_length = {64, 256}},
                                                .load = {.variant = "q4", .threads = 1}});
  EXPECT_EQ(serving.run("a").embedding.shape.size(), 1U);
}

// Each option changes something that can be seen.
TEST(Options, are_honoured_by_every_task) {
  const auto source = transmuter::dir(kModels + "text_embedding/all_variants");
  const auto error = [&](const transmuter::LoadOptions& load) {
    return transmuter::error_of([&] { (void)transmuter::text::text_embedding(source, {.load = load}); });
  };
  EXPECT_THAT(error({.variant = "q2"}), StartsWith("NotFound"));
  EXPECT_THAT(error({.variant = {{"model", "q2"}}}), StartsWith("NotFound"));
  EXPECT_THAT(error({.revision = "v1"}), StartsWith("InvalidInput: revision"));
  EXPECT_THAT(error({.backend = "abacus"}), StartsWith("InvalidInput: backend"));
  EXPECT_THAT(error({.threads = -1}), StartsWith("InvalidInput: threads"));
  EXPECT_THAT(error({.threads = 5'000'000'000}), StartsWith("InvalidInput: threads"));
  EXPECT_THAT(error({.disabled_passes = {"magic"}}), StartsWith("InvalidInput: disabled_passes"));
  EXPECT_THAT(transmuter::error_of([&] {
                (void)transmuter::text::text_embedding(
                    transmuter::hf("tiny/nothing"),
                    {.load = {.cache_dir = kModels + "text_embedding/hub", .offline = true}});
              }),
              StartsWith("NotFound: tiny/nothing"));
}

TEST(Options, of_prompts_dimensions_and_lengths_are_checked) {
  const auto source = transmuter::dir(kModels + "text_embedding/gemma3_two_dense");
  auto with_default = transmuter::text::text_embedding(source);
  auto without = transmuter::text::text_embedding(source, {.prompt = ""});
  EXPECT_NE(with_default.run("a").embedding.values, without.run("a").embedding.values);
  auto cut = transmuter::text::text_embedding(source, {.dimensions = 4000});
  EXPECT_THAT(transmuter::error_of([&] { (void)cut.run("a"); }), StartsWith("InvalidInput: dimensions"));
  EXPECT_THAT(transmuter::error_of(
                  [&] { (void)transmuter::text::text_embedding(source, {.compile = {.sequence_length = {2}}}); }),
              StartsWith("InvalidInput"));
}

}  // namespace
