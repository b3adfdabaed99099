#include "runtime/graph.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

#include "runtime/onnx_file.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace transmuter {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kBuiltin = TRANSMUTER_TESTS_DIR "/../models/all-MiniLM-L6-v2/onnx/model_q4.onnx";

OnnxFile take_apart_text(std::string_view text) { return take_apart(std::as_bytes(std::span(text))); }

/// A folder for graphs that a test makes.
class Graphs : public ::testing::Test {
 protected:
  // One initializer "w" of `count` floats whose bytes lie in `location`.
  std::string external(const std::string& location, std::int64_t offset, std::int64_t length,
                       std::int64_t count = 2048) {
    onnx::ModelProto model;
    auto* tensor = model.mutable_graph()->add_initializer();
    tensor->set_name("w");
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_dims(count);
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : {std::pair<std::string, std::string>{"location", location},
                                     {"offset", std::to_string(offset)},
                                     {"length", std::to_string(length)}}) {
      auto* entry = tensor->add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
    write_file(folder_.file("onnx/model.onnx"), model.SerializeAsString());
    write_file(folder_.file("onnx/weights"), std::string(8192, 'x'));
    return folder_.file("onnx/model.onnx");
  }

  const TemporaryFolder folder_;
};

TEST(OnnxFile, keeps_the_graph_and_points_to_the_weights) {
  const std::string whole = read_file(kBuiltin);
  const OnnxFile file = take_apart_text(whole);
  EXPECT_LT(file.skeleton.size(), whole.size() / 2);
  onnx::ModelProto expected;
  onnx::ModelProto skeleton;
  ASSERT_TRUE(expected.ParseFromString(whole));
  ASSERT_TRUE(skeleton.ParseFromString(file.skeleton));
  ASSERT_EQ(skeleton.graph().initializer_size(), expected.graph().initializer_size());
  EXPECT_EQ(skeleton.graph().node_size(), expected.graph().node_size());
  for (const auto& tensor : expected.graph().initializer()) {
    const auto weight = file.weights.find(tensor.name());
    if (weight == file.weights.end()) continue;
    const std::string bytes(reinterpret_cast<const char*>(weight->second.data()), weight->second.size());
    EXPECT_EQ(bytes, tensor.raw_data()) << tensor.name();
  }
  EXPECT_GT(file.weights.size(), 3U);
}

// A cut may fall between two fields; what is left must then still parse.
TEST(OnnxFile, refuses_or_reads_every_cut) {
  const std::string whole = read_file(kBuiltin);
  for (std::size_t size = 1; size < 3000; ++size) {
    EXPECT_THAT(error_of([&] { (void)take_apart_text(std::string_view(whole).substr(0, size)); }),
                ::testing::AnyOf(StartsWith("InvalidModel: not an ONNX file"), "no error"))
        << size;
  }
}

TEST(OnnxFile, refuses_what_is_no_protobuf) {
  for (const std::string text : {"hello", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "<html>not found</html>"}) {
    EXPECT_THAT(error_of([&] { (void)take_apart_text(text); }), StartsWith("InvalidModel: not an ONNX file")) << text;
  }
}

TEST(OnnxFile, tells_what_stands_in_its_place) {
  EXPECT_THAT(error_of([&] { (void)take_apart_text(""); }), StartsWith("InvalidModel: the file is empty"));
  EXPECT_THAT(error_of([&] { (void)take_apart_text("version https://git-lfs.github.com/spec/v1\n"); }),
              HasSubstr("run git lfs pull"));
}

TEST_F(Graphs, say_once_which_external_data_is_missing) {
  const std::string path = external("model.onnx_data", 0, 8192);
  EXPECT_EQ(error_of([&] { (void)Graph::load(path); }),
            "NotFound: " + path + ": its external data model.onnx_data is missing: fetch it into the same folder");
  write_file(folder_.file("onnx/model.onnx_data"), "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_THAT(error_of([&] { (void)Graph::load(path); }),
              StartsWith("InvalidModel: " + path + ": model.onnx_data: only the pointer"));
}

TEST(Graph, names_the_file_that_is_missing) {
  EXPECT_THAT(error_of([] { (void)Graph::load("/nowhere/model.onnx"); }), StartsWith("NotFound: /nowhere/model.onnx"));
}

TEST_F(Graphs, takes_external_data_from_beside_the_model) {
  const Graph graph = Graph::load(external("weights", 0, 8192));
  ASSERT_NE(graph.find_weight("w"), nullptr);
  EXPECT_EQ(graph.find_weight("w")->bytes.size(), 8192U);
}

TEST_F(Graphs, refuses_external_data_outside_the_folder) {
  for (const std::string location : {"../weights", "/etc/passwd", "a/../../weights", ""}) {
    EXPECT_THAT(error_of([&] { (void)Graph::load(external(location, 0, 8192)); }),
                HasSubstr("outside the model's folder"))
        << location;
  }
}

TEST_F(Graphs, refuses_external_data_beyond_the_file) {
  EXPECT_THAT(error_of([&] { (void)Graph::load(external("weights", 1, 8192)); }), HasSubstr("fetch it again"));
  EXPECT_THAT(error_of([&] { (void)Graph::load(external("weights", 9000, 1)); }), HasSubstr("fetch it again"));
  EXPECT_THAT(error_of([&] { (void)Graph::load(external("weights", -1, 8)); }), HasSubstr("offset"));
}

// ONNX Runtime would read what a subgraph, an attribute or a function names.
TEST_F(Graphs, refuses_nested_external_data_outside_the_folder) {
  using Place = std::function<onnx::TensorProto*(onnx::ModelProto&)>;
  const auto node = [](onnx::ModelProto& model) { return model.mutable_graph()->add_node()->add_attribute(); };
  const std::vector<Place> places{
      [&](onnx::ModelProto& model) { return node(model)->mutable_g()->add_initializer(); },
      [&](onnx::ModelProto& model) { return node(model)->mutable_t(); },
      [&](onnx::ModelProto& model) { return node(model)->add_tensors(); },
      [&](onnx::ModelProto& model) { return node(model)->add_graphs()->add_initializer(); },
      [&](onnx::ModelProto& model) { return node(model)->mutable_sparse_tensor()->mutable_values(); },
      [](onnx::ModelProto& model) { return model.mutable_graph()->add_sparse_initializer()->mutable_indices(); },
      [](onnx::ModelProto& model) { return model.add_functions()->add_node()->add_attribute()->mutable_t(); },
  };
  for (const Place& place : places) {
    onnx::ModelProto model;
    model.mutable_graph()->set_name("g");
    auto* tensor = place(model);
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    auto* entry = tensor->add_external_data();
    entry->set_key("location");
    entry->set_value("etc/passwd");
    write_file(folder_.file("onnx/model.onnx"), model.SerializeAsString());
    EXPECT_THAT(error_of([&] { (void)Graph::load(folder_.file("onnx/model.onnx")); }), StartsWith("NotFound"));
    entry->set_value("../../../../etc/passwd");
    write_file(folder_.file("onnx/model.onnx"), model.SerializeAsString());
    EXPECT_THAT(error_of([&] { (void)Graph::load(folder_.file("onnx/model.onnx")); }),
                HasSubstr("outside the model's folder"));
  }
}

TEST_F(Graphs, names_external_data_that_is_missing) {
  EXPECT_THAT(error_of([&] { (void)Graph::load(external("model.onnx_data", 0, 8192)); }),
              ::testing::AllOf(StartsWith("NotFound"), HasSubstr("model.onnx_data")));
}

}  // namespace
}  // namespace transmuter
