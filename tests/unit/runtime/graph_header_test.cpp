#include "runtime/graph_header.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/session.hpp"
#include "support/errors.hpp"

namespace transmuter {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kModels = TRANSMUTER_TESTS_DIR "/models/";

void expect_agreement(const std::vector<ValueInfo>& header, const std::vector<ValueInfo>& session) {
  ASSERT_EQ(header.size(), session.size());
  for (std::size_t i = 0; i < header.size(); ++i) {
    EXPECT_EQ(header[i].name, session[i].name);
    // A pass makes float16 to float32 on load.
    EXPECT_EQ(header[i].type == "float16" ? "float32" : header[i].type, session[i].type);
    ASSERT_EQ(header[i].dims.size(), session[i].dims.size());
    for (std::size_t axis = 0; axis < header[i].dims.size(); ++axis) {
      if (header[i].dims[axis] < 0 && session[i].dims[axis] >= 0) continue;  // ONNX Runtime has worked it out
      EXPECT_EQ(header[i].dims[axis], session[i].dims[axis]);
      EXPECT_EQ(header[i].symbols[axis], session[i].symbols[axis]);
    }
  }
}

TEST(GraphHeader, says_what_the_session_says) {
  int count = 0;
  for (const auto& file : fs::recursive_directory_iterator(kModels)) {
    if (file.path().extension() != ".onnx") continue;
    SCOPED_TRACE(file.path().string());
    const GraphHeader header = read_graph_header(file.path().string());
    const auto session = Session::open(file.path().string());
    expect_agreement(header.signature.inputs, session->signature().inputs);
    expect_agreement(header.signature.outputs, session->signature().outputs);
    ++count;
  }
  EXPECT_GT(count, 30);
}

TEST(GraphHeader, names_the_files_of_the_weights) {
  EXPECT_THAT(read_graph_header(kModels + "text_embedding/external_data/onnx/model.onnx").external_files,
              ElementsAre("model.onnx_data"));
  EXPECT_THAT(read_graph_header(kModels + "text_embedding/bert_mean/onnx/model.onnx").external_files, IsEmpty());
}

TEST(GraphHeader, needs_a_graph) {
  const fs::path file = fs::path(::testing::TempDir()) / "graph_header_test.onnx";
  std::ofstream(file) << "not a graph";
  EXPECT_THAT(error_of([&] { (void)read_graph_header(file.string()); }), ::testing::StartsWith("InvalidModel: "));
  fs::remove(file);
  EXPECT_THAT(error_of([&] { (void)read_graph_header(file.string()); }), ::testing::StartsWith("NotFound: "));
}

}  // namespace
}  // namespace transmuter
