#include "tasks/recognition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "repository/variant.hpp"
#include "runtime/graph_header.hpp"
#include "support/golden.hpp"
#include "support/temporary_folder.hpp"
#include "tasks/registry.hpp"

namespace transmuter {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

std::vector<std::string> recognized(const Repository& repository, const Signatures& graphs = {}) {
  std::vector<std::string> names;
  for (const Signs* signs : recognize_tasks(repository, graphs)) names.emplace_back(signs->task);
  return names;
}

Signatures graphs_of(const Repository& repository) {
  Signatures graphs;
  for (const Model& model : models_of(repository)) {
    graphs[model.stem] = read_graph_header(repository.path(model.files.front().path)).signature;
  }
  return graphs;
}

TEST(Recognition, has_signs_for_every_task) {
  std::vector<std::string_view> with_signs;
  for (const Signs& signs : task_signs()) {
    with_signs.push_back(signs.task);
    EXPECT_FALSE(signs.stems.empty()) << signs.task;
    EXPECT_NE(signs.takes, nullptr) << signs.task;
  }
  for (const Task& task : tasks()) EXPECT_THAT(with_signs, Contains(task.name));
  EXPECT_EQ(with_signs.size(), tasks().size());
}

TEST(Recognition, finds_the_task_of_every_golden_case) {
  std::size_t count = 0;
  for (const auto& golden : testing::golden_cases()) {
    const Json json = golden.read();
    const auto model = json.get<std::string>("model");
    if (json.find("error") || source_of(model).kind() == Source::Kind::Hub) continue;
    SCOPED_TRACE(golden.name());
    const std::string_view task = find_task(json.get<std::string>("task")).name;
    const Repository repository = Repository::open(source_of(model), {});
    EXPECT_THAT(recognized(repository, graphs_of(repository)), Contains(task));
    EXPECT_THAT(recognized(repository), Contains(task));
    ++count;
  }
  EXPECT_GT(count, 50U);
}

TEST(Recognition, believes_the_graph_more_than_the_configuration) {
  const TemporaryFolder folder;
  for (const auto& [file, text] :
       std::map<std::string, std::string>{{"config.json", R"({"architectures": ["BertForSequenceClassification"]})"},
                                          {"tokenizer.json", "{}"},
                                          {"onnx/model.onnx", ""}}) {
    write_file(folder.path() / file, text);
  }
  const Repository repository = Repository::open(dir(folder.path().string()), {});
  EXPECT_EQ(recognized(repository), std::vector<std::string>{"text_classification"});
  const auto graph = [](const std::string& input, const std::string& output, Shape dims) {
    const std::vector<std::string> symbols(dims.size());
    return Signatures{{"model",
                       {.inputs = {{input, DType::Int64, "int64", {-1, -1}, {"", ""}}},
                        .outputs = {{output, DType::Float32, "float32", std::move(dims), symbols}}}}};
  };
  write_file(folder.path() / "config.json", R"({"architectures": ["BertForSequenceClassification"],
    "id2label": {"0": "LABEL_0"}, "label2id": {"entailment": 0}})");
  const std::vector<std::string> pairs{"text_classification", "text_ranking", "zero_shot_classification"};
  EXPECT_EQ(recognized(repository), pairs);
  EXPECT_EQ(recognized(repository, graph("input_ids", "logits", {-1, 8})), pairs);
  const std::vector<std::string> embedding{"text_embedding"};
  EXPECT_EQ(recognized(repository, graph("input_ids", "last_hidden_state", {-1, -1, 8})), embedding);
  EXPECT_EQ(recognized(repository, graph("input_ids", "sentence_embedding", {-1, 8})), embedding);
  EXPECT_THAT(recognized(repository, graph("input_ids", "logits", {-1, -1, 8})), IsEmpty());  // one a token
  EXPECT_THAT(recognized(repository, graph("pixel_values", "logits", {-1, 8})), IsEmpty());
  write_file(folder.path() / "config.json", R"({"architectures": ["BertForMaskedLM"]})");
  EXPECT_EQ(recognized(repository), std::vector<std::string>{"fill_mask"});
  EXPECT_EQ(recognized(repository, graph("input_ids", "logits", {-1, -1, 8})), std::vector<std::string>{"fill_mask"});
}

TEST(Recognition, needs_the_files) {
  const TemporaryFolder folder;
  write_file(folder.path() / "config.json", R"({"architectures": ["ViTModel"]})");
  write_file(folder.path() / "onnx/model.onnx", "");
  EXPECT_THAT(recognized(Repository::open(dir(folder.path().string()), {})), IsEmpty());  // no tokenizer
  write_file(folder.path() / "tokenizer.json", "{}");
  EXPECT_THAT(recognized(Repository::open(dir(folder.path().string()), {})), Contains("text_embedding"));
}

}  // namespace
}  // namespace transmuter
