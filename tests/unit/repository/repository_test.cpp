#include "repository/repository.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>

#include "repository/labels.hpp"
#include "repository/sentence_transformers.hpp"
#include "repository/variant.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace transmuter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Directories : public ::testing::Test {
 protected:
  Repository with(const std::vector<std::string>& files, const std::string& config = "{}") {
    folder_.emplace();
    for (const std::string& file : files) write_file(folder_->path() / file, "x");
    write_file(folder_->path() / "config.json", config);
    return Repository::open(dir(folder_->path().string()), {});
  }

  std::string chosen(const Repository& repository, const Variant& variant = {},
                     std::string_view task_default = "fp32") {
    return choose_model_file(repository, "model", variant, task_default).path;
  }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(Directories, lists_files_below_it_and_no_hidden_ones) {
  const auto repository = with({"onnx/model.onnx", "a.txt", ".git/config", ".hidden"});
  EXPECT_THAT(repository.files(), ElementsAre("a.txt", "config.json", "onnx/model.onnx"));
  EXPECT_EQ(repository.text("a.txt"), "x");
}

TEST_F(Directories, offers_a_file_with_a_near_name) {
  EXPECT_THAT(error_of([&] { (void)with({"tokenizer.json"}).path("tokeniser.json"); }),
              ::testing::AllOf(StartsWith("NotFound"), HasSubstr("there is tokenizer.json")));
}

TEST_F(Directories, names_the_file_of_broken_json) {
  EXPECT_THAT(error_of([&] { (void)with({}, "{").json("config.json"); }), HasSubstr("config.json: not valid JSON"));
}

TEST_F(Directories, pass_over_links_that_lead_nowhere_or_round) {
  (void)with({"a.txt"});
  std::filesystem::create_symlink("nowhere", folder_->path() / "broken");
  std::filesystem::create_symlink("round", folder_->path() / "round");
  std::filesystem::create_directory_symlink(".", folder_->path() / "again");
  const auto files = Repository::open(dir(folder_->path().string()), {}).files();
  EXPECT_THAT(files, ::testing::Contains("a.txt"));
  EXPECT_THAT(files, ::testing::Not(::testing::Contains("broken")));
}

TEST_F(Directories, have_no_revisions) {
  (void)with({});
  EXPECT_THAT(error_of([&] { (void)Repository::open(dir(folder_->path().string()), {.revision = "v1"}); }),
              StartsWith("InvalidInput: revision"));
  EXPECT_THAT(error_of([&] { (void)Repository::open(hf("a/b", "v1"), {.revision = "v2"}); }),
              StartsWith("InvalidInput: revision"));
}

TEST_F(Directories, tell_what_stands_in_a_files_place) {
  const auto repository = with({"tokenizer.json", "added_tokens.json"});
  write_file(folder_->path() / "tokenizer.json", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n");
  write_file(folder_->path() / "added_tokens.json", "");
  EXPECT_THAT(
      error_of([&] { (void)repository.text("tokenizer.json"); }),
      ::testing::AllOf(StartsWith("InvalidModel: " + folder_->file("tokenizer.json")), HasSubstr("run git lfs pull")));
  EXPECT_THAT(error_of([&] { (void)repository.json("added_tokens.json"); }), HasSubstr("the file is empty"));
}

TEST_F(Directories, are_whole_models) {
  (void)with({"onnx/model.onnx"});
  for (const std::string folder : {"onnx", "onnx/"}) {
    EXPECT_THAT(error_of([&] { (void)Repository::open(dir(folder_->file(folder)), {}); }),
                ::testing::AllOf(StartsWith("InvalidInput"),
                                 HasSubstr("write the model's directory " + folder_->path().string())));
  }
  for (const Source& source : {dir(folder_->file("onnx/model.onnx")), hf(folder_->file("config.json"))}) {
    EXPECT_THAT(error_of([&] { (void)Repository::open(source, {}); }),
                ::testing::AllOf(StartsWith("InvalidInput"), HasSubstr("is a file: write owner/name")));
  }
  EXPECT_THAT(error_of([&] { (void)Repository::open(hf("https://huggingface.co/owner/name"), {}); }),
              ::testing::AllOf(StartsWith("InvalidInput"), HasSubstr("is a URL: write owner/name")));
}

TEST_F(Directories, have_their_modules_in_them) {
  const auto repository = with({"1_Pooling/config.json"});
  for (const std::string folder : {"../other", "/etc", "a/../../b"}) {
    const Json module = Json::object({{"type", "sentence_transformers.models.Pooling"}, {"path", folder}});
    write_file(folder_->path() / "modules.json", Json::array(std::vector{module}).dump());
    EXPECT_THAT(error_of([&] {
                  const auto again = Repository::open(dir(folder_->path().string()), {});
                  (void)read_sentence_transformer(again, true);
                }),
                ::testing::AllOf(StartsWith("InvalidModel"), HasSubstr("modules.json: [0].path"),
                                 HasSubstr("is not a folder of the model")));
  }
}

TEST(Variants, name_files_of_the_task) {
  EXPECT_EQ(error_of([] { check_variant_files(Variant{{"model", "q4"}}, {"model"}); }), "no error");
  EXPECT_THAT(error_of([] { check_variant_files(Variant{{"decoder", "q4"}}, {"model", "encoder"}); }),
              ::testing::AllOf(StartsWith("InvalidInput: variant: \"decoder\""), HasSubstr("it has model, encoder")));
}

TEST(Repositories, must_exist) {
  EXPECT_THAT(error_of([] { (void)Repository::open(dir("/nowhere"), {}); }), StartsWith("NotFound: /nowhere"));
}

TEST_F(Directories, choose_fp32_unless_told) {
  const auto repository = with({"onnx/model.onnx", "onnx/model_q4.onnx", "onnx/model_quantized.onnx"});
  EXPECT_EQ(chosen(repository), "onnx/model.onnx");
  EXPECT_EQ(chosen(repository, {}, "q4"), "onnx/model_q4.onnx");
  EXPECT_EQ(chosen(repository, "q8"), "onnx/model_quantized.onnx");
  EXPECT_EQ(chosen(repository, Variant{{"model", "q4"}}), "onnx/model_q4.onnx");
  EXPECT_EQ(chosen(repository, Variant{{"encoder_model", "q4"}}), "onnx/model.onnx");
}

TEST_F(Directories, follow_the_dtype_of_the_configuration) {
  const std::vector<std::string> files{"onnx/model.onnx", "onnx/model_fp16.onnx", "onnx/model_q4.onnx"};
  EXPECT_EQ(chosen(with(files, R"({"transformers.js_config": {"dtype": "fp16"}})")), "onnx/model_fp16.onnx");
  EXPECT_EQ(chosen(with(files, R"({"transformers.js_config": {"dtype": {"model": "q4"}}})")), "onnx/model_q4.onnx");
  EXPECT_EQ(chosen(with(files, R"({"transformers.js_config": {"dtype": "auto"}})")), "onnx/model.onnx");
  EXPECT_EQ(chosen(with(files, R"({"transformers.js_config": {"dtype": "fp16"}})"), "fp32"), "onnx/model.onnx");
}

TEST_F(Directories, take_what_there_is_when_nothing_else_fits) {
  EXPECT_EQ(chosen(with({"onnx/model_q4.onnx", "onnx/model_quantized.onnx"})), "onnx/model_quantized.onnx");
  EXPECT_EQ(chosen(with({"model.onnx"})), "model.onnx");
  EXPECT_EQ(chosen(with({"onnx/model_O4.onnx", "onnx/model.onnx"}), "O4"), "onnx/model_O4.onnx");
}

TEST_F(Directories, never_take_another_file_for_a_variant) {
  EXPECT_THAT(error_of([&] { (void)chosen(with({"onnx/model_merged.onnx"})); }), HasSubstr("onnx/model_merged.onnx"));
}

TEST_F(Directories, say_which_variants_exist) {
  EXPECT_THAT(error_of([&] { (void)chosen(with({"onnx/model.onnx", "onnx/model_q4.onnx"}), "fp16"); }),
              ::testing::AllOf(StartsWith("NotFound"), HasSubstr("\"fp16\""),
                               HasSubstr("fp32 (onnx/model.onnx), q4 (onnx/model_q4.onnx)")));
  EXPECT_THAT(error_of([&] { (void)chosen(with({"model.safetensors"})); }), HasSubstr("no ONNX files at all"));
}

TEST(Labels, come_from_the_configuration_or_have_numbers) {
  const auto labels = [](std::string_view config) { return Labels::from_config(Json::parse(config, "config.json")); };
  EXPECT_EQ(labels(R"({"id2label": {"1": "b", "0": "a"}})").name(0), "a");
  EXPECT_EQ(labels(R"({"id2label": {"0": "a"}})").name(5), "LABEL_5");
  EXPECT_EQ(labels(R"({})").size(), 2U);
  EXPECT_EQ(labels(R"({"num_labels": 3})").name(2), "LABEL_2");
  EXPECT_THAT(error_of([&] { (void)labels(R"({"id2label": {"x": "a"}})"); }), HasSubstr("config.json: id2label.x"));
  EXPECT_THAT(error_of([&] { (void)labels(R"({"id2label": {"99999999999": "a"}})"); }), HasSubstr("index of a label"));
}

TEST(ScoreRule, follows_the_pipeline) {
  const auto rule = [](std::string_view text) {
    const Json config = Json::parse(text, "config.json");
    return score_rule(config, Labels::from_config(config));
  };
  EXPECT_EQ(rule(R"({})"), FunctionToApply::Softmax);
  EXPECT_EQ(rule(R"({"num_labels": 1})"), FunctionToApply::Sigmoid);
  EXPECT_EQ(rule(R"({"num_labels": 1, "problem_type": "regression"})"), FunctionToApply::None);
  EXPECT_EQ(rule(R"({"num_labels": 3, "problem_type": "multi_label_classification"})"), FunctionToApply::Sigmoid);
}

}  // namespace
}  // namespace transmuter
