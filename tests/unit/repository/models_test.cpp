// models_of: the ONNX files of a repository, by graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "repository/variant.hpp"
#include "support/temporary_folder.hpp"

namespace transmuter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "stem: variant=file variant=file"
std::vector<std::string> models_in(const std::vector<std::string>& files) {
  const TemporaryFolder folder;
  for (const std::string& file : files) write_file(folder.path() / file, "x");
  std::vector<std::string> all;
  for (const Model& model : models_of(Repository::open(dir(folder.path().string()), {}))) {
    std::string text = model.stem + ":";
    for (const ModelFile& file : model.files) text += " " + file.variant + "=" + file.path;
    all.push_back(text);
  }
  return all;
}

TEST(Models, have_their_variants_in_the_order_of_choice) {
  EXPECT_THAT(models_in({"onnx/model_q4.onnx", "onnx/model_quantized.onnx", "onnx/model.onnx", "onnx/model_fp16.onnx"}),
              ElementsAre("model: fp32=onnx/model.onnx fp16=onnx/model_fp16.onnx q8=onnx/model_quantized.onnx "
                          "q4=onnx/model_q4.onnx"));
}

TEST(Models, have_the_variants_of_other_exporters) {
  EXPECT_THAT(
      models_in({"onnx/model.onnx", "onnx/model_O4.onnx", "onnx/model_qint8_avx512.onnx"}),
      ElementsAre("model: fp32=onnx/model.onnx O4=onnx/model_O4.onnx qint8_avx512=onnx/model_qint8_avx512.onnx"));
  EXPECT_THAT(models_in({"onnx/model_O4.onnx"}), ElementsAre("model_O4: fp32=onnx/model_O4.onnx"));
}

TEST(Models, are_as_many_as_the_graphs) {
  EXPECT_THAT(models_in({"onnx/encoder_model.onnx", "onnx/encoder_model_q4f16.onnx", "onnx/decoder_model.onnx",
                         "onnx/decoder_model_merged_q4.onnx", "onnx/decoder_with_past_model.onnx"}),
              ElementsAre("decoder_model: fp32=onnx/decoder_model.onnx",
                          "decoder_model_merged: q4=onnx/decoder_model_merged_q4.onnx",
                          "decoder_with_past_model: fp32=onnx/decoder_with_past_model.onnx",
                          "encoder_model: fp32=onnx/encoder_model.onnx q4f16=onnx/encoder_model_q4f16.onnx"));
}

TEST(Models, lie_in_two_folders_only) {
  EXPECT_THAT(models_in({"model.onnx", "openvino/model.onnx", "onnx/deep/model.onnx", "onnx/model.onnx_data"}),
              ElementsAre("model: fp32=model.onnx"));
  EXPECT_THAT(models_in({"config.json"}), IsEmpty());
}

}  // namespace
}  // namespace transmuter
