// The examples of the README and of the public headers, on models of this repository.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <transmuter/transmuter.hpp>

#include "support/errors.hpp"

namespace {

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

TEST(Examples, of_zero_shot_entity_recognition_run) {
  auto serving = transmuter::text::zero_shot_entity_recognition(
      transmuter::dir(kModels + "zero_shot_entity_recognition/span"), {.threshold = 0.01});
  const std::string text = "Cristiano Ronaldo plays for Al Nassr.";
  const auto found = serving.run(transmuter::TextWithLabels(text, {"person", "organization"}));
  for (const transmuter::Entity& entity : found.entities) {
    EXPECT_EQ(text.substr(entity.start, entity.end - entity.start), entity.phrase);
  }
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
