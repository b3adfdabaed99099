// transmuter run with models that are broken, or hold what a terminal would act on.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>
#include <limits>
#include <onnx-ml.pb.h>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace transmuter::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A copy of the tiny classifier that a test breaks.
class OddModels : public ::testing::Test {
 protected:
  OddModels() {
    std::filesystem::copy(test_folder("models/text_classification/bert"), folder_.path(),
                          std::filesystem::copy_options::recursive);
  }

  Outcome classify(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"run", "text-classification", "-m", folder_.path(), "a film"});
    return call_program(std::move(more));
  }

  void change_text(const std::string& file, const std::string& part, const std::string& by) const {
    std::string text = read_file(folder_.file(file));
    const auto begin = text.find(part);
    ASSERT_NE(begin, std::string::npos) << part;
    write_file(folder_.file(file), text.replace(begin, part.size(), by));
  }

  void change_weights(const std::function<void(onnx::TensorProto&)>& change) const {
    onnx::ModelProto model;
    ASSERT_TRUE(model.ParseFromString(read_file(folder_.file("onnx/model.onnx"))));
    for (auto& tensor : *model.mutable_graph()->mutable_initializer()) {
      if (tensor.name().starts_with("classifier.")) change(tensor);
    }
    model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
    for (const char* dim : {"rows", "labels"}) {
      auto* shape = model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
      shape->add_dim()->set_dim_param(dim);
    }
    write_file(folder_.file("onnx/model.onnx"), model.SerializeAsString());
  }

  /// No result, and one line that says what is wrong with the model.
  static void expect_invalid_model(const Outcome& outcome, const std::string& part) {
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.output, "");
    EXPECT_THAT(outcome.errors, AllOf(StartsWith("transmuter: InvalidModel: "), HasSubstr(part)));
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
  }

  const TemporaryFolder folder_;
};

TEST_F(OddModels, with_infinite_weights_give_no_results) {
  change_weights([](onnx::TensorProto& tensor) {
    if (tensor.name() != "classifier.bias") return;
    tensor.clear_raw_data();
    for (int i = 0; i < 5; ++i) tensor.add_float_data(std::numeric_limits<float>::infinity());
  });
  expect_invalid_model(classify(), "NaN or infinite values");
}

TEST_F(OddModels, without_any_label_give_no_results) {
  change_weights([](onnx::TensorProto& tensor) {
    tensor.set_dims(0, 0);
    tensor.clear_raw_data();
  });
  expect_invalid_model(classify(), "output logits has the shape [1, 0]");
}

TEST_F(OddModels, whose_length_leaves_no_room_are_at_fault_themselves) {
  change_text("config.json", "\"max_position_embeddings\": 64", "\"max_position_embeddings\": 2");
  expect_invalid_model(classify(), "max_position_embeddings): 2 tokens leave no room");
}

TEST_F(OddModels, with_the_tokenizer_of_another_model_say_so) {
  change_text("tokenizer.json", "\"added_tokens\":[",
              R"("added_tokens":[{"id": 300, "content": "film", "single_word": false, "lstrip": false,
                                   "rstrip": false, "normalized": false, "special": false},)");
  expect_invalid_model(classify(), "tokenizer.json has 301 tokens, but the model takes 300");
  EXPECT_EQ(call_program({"run", "text-classification", "-m", folder_.path(), "a"}).status, 0);
}

TEST_F(OddModels, cannot_control_the_terminal_by_their_labels) {
  change_text("config.json", "\"0\": \"anger\"", R"("0": "\u001b[31mred\u007f\nnext")");
  const Outcome outcome = classify();
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr(" [31mred  next"), Not(HasSubstr("\x1b")), Not(HasSubstr("\x7f"))));
}

TEST_F(OddModels, with_too_few_labels_are_named_once) {
  change_text("config.json", ",\n    \"4\": \"calm\"", "");
  const Outcome outcome = classify({"--json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("config.json names 4 labels, but the model gives 5 scores"));
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
}

/// What a task says of a copy of its tiny model whose last bias is infinite.
std::string with_infinite_bias(const std::string& task, const std::string& bias, const std::string& input) {
  const TemporaryFolder folder;
  std::string model_folder = "models/" + task;
  std::ranges::replace(model_folder, '-', '_');
  std::filesystem::copy(test_folder(model_folder + "/bert"), folder.path(), std::filesystem::copy_options::recursive);
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(read_file(folder.file("onnx/model.onnx"))));
  for (auto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.name() != bias) continue;
    tensor.clear_raw_data();
    for (int i = 0; i < tensor.dims(0); ++i) tensor.add_float_data(std::numeric_limits<float>::infinity());
  }
  write_file(folder.file("onnx/model.onnx"), model.SerializeAsString());
  return call_program({"run", task, "-m", folder.path(), input}).errors;
}

TEST(ModelsOfSpans, with_infinite_weights_give_no_results) {
  EXPECT_THAT(with_infinite_bias("token-classification", "classifier.bias", "a film"),
              HasSubstr("InvalidModel: input 0: the model gave NaN or infinite values"));
  EXPECT_THAT(
      with_infinite_bias("question-answering", "qa_outputs.bias", R"({"question": "a film?", "context": "a film"})"),
      HasSubstr("InvalidModel: input 0: the model gave NaN or infinite values"));
}

TEST(ModelsOfAnotherTask, show_what_outputs_they_have) {
  const std::string embedder = test_folder("models/text_embedding/bert_mean");
  const Outcome outcome = call_program({"run", "text-classification", "-m", embedder, "a"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("last_hidden_state: float32 [batch_size, sequence_length, 24]"));
}

}  // namespace
}  // namespace transmuter::testing
