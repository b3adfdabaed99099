#include "base/describe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "transmuter/text.hpp"

namespace transmuter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TextEmbeddingOptions parsed(std::string_view json) {
  TextEmbeddingOptions options;
  from_json(Json::parse(json, "request", ErrorCode::InvalidInput), options);
  return options;
}

std::string message(std::string_view json) {
  return error_of([&] { (void)parsed(json); });
}

TEST(Describe, reads_nested_and_flat_fields) {
  const auto options = parsed(
      R"({"output_pool": "none", "compile": {"sequence_length": 32, "batch_size": 4}, "variant": "q8", "dimensions": 7})");
  EXPECT_EQ(options.output_pool, OutputPool::None);
  EXPECT_THAT(options.compile.sequence_length, ElementsAre(32));
  EXPECT_EQ(options.compile.batch_size, 4);
  EXPECT_EQ(options.load.variant.all, "q8");
  EXPECT_EQ(options.dimensions, 7);
}

TEST(Describe, reads_a_variant_for_each_file) {
  EXPECT_EQ(parsed(R"({"variant": {"model": "fp16"}})").load.variant.by_file.at("model"), "fp16");
}

TEST(Describe, takes_null_for_the_default) { EXPECT_FALSE(parsed(R"({"dimensions": null})").dimensions); }

TEST(Describe, names_the_nearest_option) {
  EXPECT_EQ(message(R"({"output_pol": "none"})"),
            "InvalidInput: request: unknown option \"output_pol\"; did you mean \"output_pool\"?");
  EXPECT_EQ(message(R"({"compile": {"batchsize": 1}})"),
            "InvalidInput: request: compile: unknown option \"batchsize\"; did you mean \"batch_size\"?");
  EXPECT_THAT(message(R"({"zzzzzzzz": 1})"), HasSubstr("known are output_pool, embedding_processor"));
}

TEST(Describe, names_the_words_of_an_enumeration) {
  EXPECT_EQ(message(R"({"embedding_processor": "l2"})"),
            "InvalidInput: request: embedding_processor: \"l2\" is none of l2_norm, none");
}

TEST(Describe, names_the_place_of_a_wrong_type) {
  EXPECT_EQ(message(R"({"compile": {"sequence_length": [32, "x"]}})"),
            "InvalidInput: request: compile.sequence_length[1]: must be an integer, is \"x\"");
  EXPECT_EQ(message(R"([])"), "InvalidInput: request: must be an object, is []");
}

TEST(Describe, leaves_optional_fields_out) {
  Entity entity{.label = "PER", .phrase = "Ada", .start = 3, .end = 6, .score = 0.5F};
  const auto written = [&] { return to_json("", entity, TensorWriter()).dump(); };
  EXPECT_EQ(written(), R"({"label":"PER","phrase":"Ada","start":3,"end":6,"score":0.5})");
  entity.index = 7;
  EXPECT_EQ(written(), R"({"label":"PER","phrase":"Ada","start":3,"end":6,"score":0.5,"index":7})");
}

TEST(Describe, takes_two_words_for_one_value) {
  const auto aggregation = [](std::string_view json) {
    TokenClassificationOptions options;
    from_json(Json::parse(json, "request"), options);
    return options.aggregation;
  };
  EXPECT_EQ(aggregation(R"({"aggregation": "same"})"), Aggregation::Simple);
  EXPECT_EQ(aggregation(R"({"aggregation": "simple"})"), Aggregation::Simple);
}

TEST(Describe, writes_what_it_reads) {
  const Classification result{.predictions = {{"joy", 0.75F}, {"fear", 0.25F}}};
  EXPECT_EQ(to_json("", result, TensorWriter()).dump(),
            R"({"predictions":[{"label":"joy","score":0.75},{"label":"fear","score":0.25}]})");
}

TEST(Describe, lists_every_option_with_its_type) {
  const auto help = help_of<TextClassificationOptions>();
  std::vector<std::string> names;
  for (const FieldHelp& field : help) names.push_back(field.name);
  EXPECT_THAT(names,
              ElementsAre("top_k", "function_to_apply", "compile.batch_size", "compile.sequence_length", "variant",
                          "revision", "cache_dir", "offline", "backend", "threads", "disabled_passes"));
  EXPECT_EQ(help[1].type, "sigmoid|softmax|none");
}

TEST(Describe, reads_tensors_and_refuses_ragged_ones) {
  FloatTensor tensor;
  from_json(Json::parse("[[1, 2], [3, 4]]", "x"), tensor);
  EXPECT_THAT(tensor.shape, ElementsAre(2, 2));
  EXPECT_THAT(tensor.values, ElementsAre(1, 2, 3, 4));
  for (const auto* ragged : {"[[1], [2, 3]]", "[1, [2]]", "[[1], 2]", "[[], [1]]"}) {
    EXPECT_THROW(from_json(Json::parse(ragged, "x"), tensor), Error) << ragged;
  }
}

TEST(Nearest, offers_nothing_far_away) {
  EXPECT_EQ(nearest("topk", {"top_k", "compile"}), "top_k");
  EXPECT_FALSE(nearest("temperature", {"top_k", "compile"}));
  EXPECT_FALSE(nearest("x", {}));
}

TEST(Describe, splits_labels_only_where_they_are_one_text) {
  const auto labels = [](std::string_view json) {
    CandidateLabels value({"default"});
    from_json(Json::parse(json, "request", ErrorCode::InvalidInput), value);
    return value.names;
  };
  EXPECT_EQ(labels(R"(["a, b", "", " c"])"), (std::vector<std::string>{"a, b", "", " c"}));
  EXPECT_EQ(labels(R"(" a , b c,, ,d")"), (std::vector<std::string>{"a", "b c", "d"}));
  EXPECT_EQ(labels(R"("")"), std::vector<std::string>());
  EXPECT_EQ(labels("[]"), std::vector<std::string>());
  EXPECT_THAT(error_of([&] { (void)labels("3"); }), ::testing::HasSubstr("request"));
}

}  // namespace
}  // namespace transmuter
