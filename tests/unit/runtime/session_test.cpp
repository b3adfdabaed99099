#include "runtime/session.hpp"

#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "runtime/device.hpp"
#include "runtime/graph.hpp"
#include "runtime/passes/passes.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "tensor/float16.hpp"

namespace transmuter {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kModels = TRANSMUTER_TESTS_DIR "/models/";
const std::string kBert = kModels + "text_embedding/bert_mean/onnx/model.onnx";
const std::vector<std::string> kHidden{"last_hidden_state"};

std::vector<float> run(const Session& session, std::int64_t length = 9) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < length; ++i) ids.push_back(5 + i * 7 % 90);
  const std::vector<std::int64_t> ones(ids.size(), 1);
  const Shape shape{1, length};
  const Tensor id_tensor = Tensor::of<std::int64_t>(ids, shape);
  const Tensor mask = Tensor::of<std::int64_t>(ones, shape);
  const Tensor types(DType::Int64, shape);
  std::vector<Session::Feed> feeds;
  for (const ValueInfo& input : session.signature().inputs) {
    feeds.push_back({.name = input.name.c_str(),
                     .tensor = input.name == "input_ids"        ? &id_tensor
                               : input.name == "attention_mask" ? &mask
                                                                : &types});
  }
  const auto outputs = session.run(feeds, std::vector<std::string>{session.signature().outputs.front().name});
  const Tensor& output = outputs.front();
  const Tensor floats = output.dtype() == DType::Float16 ? to_float32(output) : output.clone();
  const auto values = floats.view<float>();
  return {values.begin(), values.end()};
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, static_cast<double>(std::abs(a[i] - b[i])));
  return largest;
}

TEST(Session, knows_its_inputs_and_outputs) {
  const auto session = Session::open(kBert);
  const Signature& signature = session->signature();
  EXPECT_EQ(signature.input_names(), "input_ids, attention_mask, token_type_ids");
  ASSERT_NE(signature.find_output("last_hidden_state"), nullptr);
  EXPECT_EQ(signature.find_output("last_hidden_state")->dtype, DType::Float32);
  EXPECT_EQ(signature.find_input("input_ids")->symbols.front(), "batch_size");
  EXPECT_EQ(signature.find_input("pixel_values"), nullptr);
}

TEST(Session, gives_the_same_values_with_every_number_of_threads) {
  const auto expected = run(*Session::open(kBert, {.threads = 1}));
  for (const std::int64_t threads : {0, 2, 3}) {
    EXPECT_LT(largest_difference(run(*Session::open(kBert, {.threads = threads})), expected), 1e-6) << threads;
  }
}

// Runs side by side use the engine of one core, a lone run the one of all cores.
TEST(Session, runs_from_many_threads_at_once) {
  const auto session = Session::open(kBert);
  const auto expected = run(*session);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) EXPECT_LT(largest_difference(run(*session), expected), 1e-6);
    });
  }
}

TEST(Session, stops_when_asked) {
  const auto session = Session::open(kBert);
  std::stop_source stop;
  stop.request_stop();
  const Tensor ids(DType::Int64, {1, 4});
  std::vector<Session::Feed> feeds;
  for (const ValueInfo& input : session->signature().inputs)
    feeds.push_back({.name = input.name.c_str(), .tensor = &ids});
  EXPECT_THAT(error_of([&] { (void)session->run(feeds, kHidden, stop.get_token()); }), StartsWith("Cancelled"));
}

TEST(Binding, reads_and_writes_the_same_tensors_in_each_run) {
  const auto session = Session::open(kBert);
  Tensor ids(DType::Int64, {1, 4});
  const Tensor mask = Tensor::of<std::int64_t>(std::vector<std::int64_t>{1, 1, 1, 1}, {1, 4});
  const Tensor types(DType::Int64, {1, 4});
  const auto dimensions = session->signature().find_output("last_hidden_state")->dims.back();
  Tensor hidden(DType::Float32, {1, 4, dimensions});
  Binding binding(session);
  binding.bind_input("input_ids", ids);
  binding.bind_input("attention_mask", mask);
  binding.bind_input("token_type_ids", types);
  binding.bind_output("last_hidden_state", hidden);
  for (const std::int64_t id : {5, 6, 7}) {
    ids.view<std::int64_t>()[1] = id;
    binding.run();
    const std::vector<Session::Feed> feeds{{.name = "input_ids", .tensor = &ids},
                                           {.name = "attention_mask", .tensor = &mask},
                                           {.name = "token_type_ids", .tensor = &types}};
    const auto expected = session->run(feeds, kHidden);
    EXPECT_THAT(hidden.view<float>(), ElementsAreArray(expected.front().view<float>())) << id;
  }
  const Tensor longer(DType::Int64, {1, 5});
  binding.bind_input("token_type_ids", longer);
  EXPECT_THAT(error_of([&] { binding.run(); }), StartsWith("Backend: " + kBert));
}

TEST(Binding, refuses_what_the_graph_does_not_have) {
  Binding binding(Session::open(kBert));
  Tensor floats(DType::Float32, {1, 4});
  EXPECT_THAT(error_of([&] { binding.bind_input("input_ids", floats); }),
              AllOf(StartsWith("Internal"), HasSubstr("input_ids"), HasSubstr("int64")));
  EXPECT_THAT(error_of([&] { binding.bind_output("logits", floats); }), HasSubstr("not there"));
  EXPECT_THAT(error_of([&] { binding.run(); }), StartsWith("Backend"));
}

TEST(Session, says_what_the_backend_did_not_take) {
  const auto session = Session::open(kBert);
  const Tensor ids(DType::Int64, {1, 4});
  const std::vector<Session::Feed> feeds{{.name = "input_ids", .tensor = &ids}};
  EXPECT_THAT(error_of([&] { (void)session->run(feeds, kHidden); }), StartsWith("Backend: " + kBert));
}

TEST(Session, refuses_files_that_are_no_graph) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.onnx");
  write_file(path, "<html>404</html>");
  EXPECT_THAT(error_of([&] { (void)Session::open(path); }), StartsWith("InvalidModel: " + path));
}

TEST(Session, opens_a_model_through_a_link) {
  const TemporaryFolder folder;
  const auto link = folder.path() / "link.onnx";
  std::filesystem::create_symlink(kModels + "text_embedding/external_data/onnx/model.onnx", link);
  // The weights lie beside the file itself, but the path names the link's folder, as in Python.
  EXPECT_THAT(error_of([&] { (void)Session::open(link.string()); }), StartsWith("NotFound"));
  std::filesystem::remove(link);
  std::filesystem::create_symlink(kBert, link);
  EXPECT_LT(largest_difference(run(*Session::open(link.string())), run(*Session::open(kBert))), 1e-6);
}

TEST(Device, lists_the_backends_that_are_there) {
  EXPECT_THAT(available_backends(), ::testing::Contains("cpu"));
  EXPECT_THAT(error_of([] { (void)Session::open(kBert, {.backend = "abacus"}); }),
              ::testing::AllOf(StartsWith("InvalidInput: backend"), HasSubstr("abacus"), HasSubstr("it has cpu")));
}

/// A pass, a model that it changes, and how far the values may move.
struct PassCase {
  std::string pass;
  std::string model;
  double tolerance;
};
void PrintTo(const PassCase& each, std::ostream* out) { *out << each.pass << " " << each.model; }

class Passes : public ::testing::TestWithParam<PassCase> {};

TEST_P(Passes, keep_the_values) {
  const std::string path = kModels + GetParam().model;
  Graph graph = Graph::load(path);
  const auto applied = rewrite(graph, "cpu", {});
  EXPECT_NE(std::ranges::find(applied, GetParam().pass, &Applied::name), applied.end());
  const auto with = Session::open(path);
  const auto without = Session::open(path, {.disabled_passes = {GetParam().pass}});
  for (const std::int64_t length : {1, 9, 40}) {
    EXPECT_LT(largest_difference(run(*with, length), run(*without, length)), GetParam().tolerance) << length;
  }
}

INSTANTIATE_TEST_SUITE_P(
    each, Passes,
    ::testing::Values(PassCase{"uint8_weights_to_int8", "text_embedding/all_variants/onnx/model_quantized.onnx", 1e-6},
                      PassCase{"uint8_weights_to_int8", "text_classification/quantized/onnx/model_quantized.onnx",
                               1e-6},
                      PassCase{"float16_to_float32", "text_classification/quantized/onnx/model_fp16.onnx", 2e-2}));

TEST(Passes, are_known_by_name) {
  EXPECT_THAT(error_of([] { (void)Session::open(kBert, {.disabled_passes = {"magic"}}); }),
              ::testing::AllOf(StartsWith("InvalidInput"), HasSubstr("\"magic\""), HasSubstr("float16_to_float32")));
}

}  // namespace
}  // namespace transmuter
