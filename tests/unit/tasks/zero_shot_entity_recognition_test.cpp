// GLiNER repositories whose files contradict each other, and what only C++ callers can give.
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <onnx-ml.pb.h>
#include <transmuter/transmuter.hpp>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace transmuter {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kModels = TRANSMUTER_TESTS_DIR "/models/";
const std::string kSpan = kModels + "zero_shot_entity_recognition/span";

/// A copy of the tiny span model that a test breaks.
class OddGliner : public ::testing::Test {
 protected:
  OddGliner() { std::filesystem::copy(kSpan, folder_.path(), std::filesystem::copy_options::recursive); }

  void change_config(const std::string& key, const std::string& value) const {
    const std::string text = read_file(folder_.file("gliner_config.json"));
    const auto begin = text.find(fmt::format("\"{}\": ", key));
    ASSERT_NE(begin, std::string::npos) << key;
    const auto end = text.find_first_of(",\n", begin);
    write_file(folder_.file("gliner_config.json"),
               text.substr(0, begin) + fmt::format("\"{}\": {}", key, value) + text.substr(end));
  }

  std::string error() const {
    return error_of([&] {
      (void)text::zero_shot_entity_recognition(dir(folder_.path().string()))
          .run(TextWithLabels("Anna lives in Berlin.", {"person"}));
    });
  }

  const TemporaryFolder folder_;
};

TEST_F(OddGliner, runs_when_nothing_is_changed) { EXPECT_EQ(error(), "no error"); }

TEST_F(OddGliner, of_another_span_mode_names_its_inputs) {
  change_config("span_mode", "\"token_level\"");
  EXPECT_THAT(error(), AllOf(StartsWith("InvalidModel"), HasSubstr("span_mode"), HasSubstr("span_idx")));
}

TEST_F(OddGliner, without_the_token_of_its_prompt_names_it) {
  change_config("ent_token", "\"<<NONE>>\"");
  EXPECT_THAT(error(), AllOf(StartsWith("InvalidModel"), HasSubstr("\"<<NONE>>\"")));
}

TEST_F(OddGliner, of_another_width_gives_no_result) {
  for (const char* width : {"1", "3", "8", "30"}) {
    std::filesystem::copy_file(kSpan + "/gliner_config.json", folder_.file("gliner_config.json"),
                               std::filesystem::copy_options::overwrite_existing);
    change_config("max_width", width);
    EXPECT_NE(error(), "no error") << width;
  }
}

TEST_F(OddGliner, with_infinite_weights_gives_no_result) {
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(read_file(folder_.file("onnx/model.onnx"))));
  for (auto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (!tensor.name().ends_with("out_project.3.bias")) continue;
    tensor.clear_raw_data();
    for (std::int64_t i = 0; i < tensor.dims(0); ++i) tensor.add_float_data(std::numeric_limits<float>::infinity());
  }
  write_file(folder_.file("onnx/model.onnx"), model.SerializeAsString());
  EXPECT_THAT(error(), AllOf(StartsWith("InvalidModel"), HasSubstr("NaN or infinite values")));
}

TEST_F(OddGliner, with_a_graph_of_another_task_names_what_is_missing) {
  std::filesystem::copy_file(kModels + "text_classification/pairs_deberta_v2/onnx/model.onnx",
                             folder_.file("onnx/model.onnx"), std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(error(), AllOf(StartsWith("Unsupported"), HasSubstr("\"words_mask\""), HasSubstr("attention_mask")));
}

TEST(ZeroShotEntityRecognition, gives_nothing_for_blanks_and_for_no_label) {
  const auto serving = text::zero_shot_entity_recognition(dir(kSpan), {.labels = {{"person"}}, .threshold = 0});
  EXPECT_THAT(serving.run(" \t\n\x1c").entities, IsEmpty());
  EXPECT_THAT(serving.run(TextWithLabels("Anna", {})).entities, IsEmpty());
  EXPECT_EQ(serving.run("Anna").entities.size(), 1U);
}

TEST(ZeroShotEntityRecognition, refuses_what_is_not_utf8) {
  const auto serving = text::zero_shot_entity_recognition(dir(kSpan));
  EXPECT_THAT(error_of([&] { (void)serving.run(TextWithLabels("a\xFF", {"b"})); }),
              StartsWith("InvalidInput: the text is not valid UTF-8 at byte 1"));
  EXPECT_THAT(error_of([&] { (void)serving.run(TextWithLabels("a", {"b", "c\xC3"})); }),
              StartsWith("InvalidInput: labels[1]: is not valid UTF-8 at byte 1"));
}

TEST(ZeroShotEntityRecognition, refuses_thresholds_that_no_score_has) {
  for (const double threshold : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(error_of([&] { (void)text::zero_shot_entity_recognition(dir(kSpan), {.threshold = threshold}); }),
                StartsWith("InvalidInput: threshold"));
  }
}

}  // namespace
}  // namespace transmuter
