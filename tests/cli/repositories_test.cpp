// transmuter pull, list, show and rm, and runs of models of the hub.
#include <filesystem>
#include <gmock/gmock.h>

#include "support/hub_server.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace transmuter::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ServedFiles files_of(const std::string& model) {
  const fs::path folder = test_folder("models/" + model);
  ServedFiles files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const bool is_large = entry.path().parent_path().filename() == "onnx";
    files[entry.path().lexically_relative(folder).generic_string()] = {read_file(entry.path()), is_large};
  }
  return files;
}

class RepositoryCommands : public ::testing::Test {
 protected:
  Outcome call(std::vector<std::string> arguments, const std::map<std::string, std::string>& more = {}) {
    Call call{.arguments = std::move(arguments)};
    call.environment = {{"HF_HUB_OFFLINE", ""}, {"HF_ENDPOINT", hub_.endpoint()}, {"HF_HUB_CACHE", cache_.path()}};
    for (const auto& [name, value] : more) call.environment[name] = value;
    return run_program(call);
  }
  Outcome offline(std::vector<std::string> arguments) { return call(std::move(arguments), {{"HF_HUB_OFFLINE", "1"}}); }

  Json answer(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Outcome outcome = call(std::move(arguments));
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
    EXPECT_EQ(outcome.lines().size(), 1U);
    return outcome.json();
  }

  void serve_variants() {
    ServedFiles files = files_of("text_embedding/all_variants");
    files["README.md"] = {"# A model\n"};
    files["model.safetensors"] = {std::string(50'000, 'x'), true};
    files["pytorch_model.bin"] = {std::string(50'000, 'y'), true};
    files["openvino/openvino_model.xml"] = {"<net/>"};
    commit_ = hub_.commit("owner/embedder", std::move(files));
  }

  static std::vector<std::string> names(const Json& files) {
    std::vector<std::string> all;
    for (const Json& file : files.elements()) all.push_back(file.get<std::string>("file"));
    return all;
  }

  HubServer hub_;
  TemporaryFolder cache_;
  std::string commit_;
};

TEST_F(RepositoryCommands, pull_fetches_what_a_run_needs) {
  serve_variants();
  const Json pulled = answer({"pull", "owner/embedder"});
  EXPECT_EQ(pulled.get<std::string>("repository"), "owner/embedder");
  EXPECT_THAT(names(pulled.get("files")),
              ElementsAre("1_Pooling/config.json", "README.md", "config.json", "config_sentence_transformers.json",
                          "modules.json", "onnx/model.onnx", "sentence_bert_config.json", "special_tokens_map.json",
                          "tokenizer.json", "tokenizer_config.json"));
  for (const Json& file : pulled.get("files").elements()) {
    EXPECT_EQ(fs::file_size(file.get<std::string>("path")), file.get<std::size_t>("size"));
  }
  const Outcome run = offline({"run", "text-embedding", "-m", "owner/embedder", "a", "--json"});
  EXPECT_EQ(run.status, 0) << run.errors;
  const Outcome here =
      call_program({"run", "text-embedding", "-m", test_folder("models/text_embedding/all_variants"), "a", "--json"});
  EXPECT_EQ(run.output, here.output);
}

TEST_F(RepositoryCommands, pull_again_fetches_nothing) {
  serve_variants();
  answer({"pull", "owner/embedder"});
  hub_.forget_requests();
  answer({"pull", "owner/embedder"});
  EXPECT_EQ(hub_.count("/resolve/"), 0U);
}

TEST_F(RepositoryCommands, pull_takes_a_variant_a_revision_and_files) {
  serve_variants();
  ServedFiles old = files_of("text_embedding/all_variants");
  old["config.json"].content += "\n";
  hub_.commit("owner/embedder", std::move(old), "v1");
  EXPECT_THAT(names(answer({"pull", "owner/embedder", "--variant", "q8"}).get("files")),
              AllOf(::testing::Contains("onnx/model_quantized.onnx"), Not(::testing::Contains("onnx/model.onnx"))));
  const Json by_name = answer({"pull", "owner/embedder@v1", "--file", "config.json", "--file", "onnx/model_q4.onnx"});
  EXPECT_THAT(names(by_name.get("files")), ElementsAre("config.json", "onnx/model_q4.onnx"));
  EXPECT_EQ(answer({"pull", "owner/embedder", "--revision", "v1", "--file", "config.json"}).dump(), by_name.dump());
  EXPECT_EQ(answer({"pull", "owner/embedder", "--all"}).get("files").size(), 16U);
}

TEST_F(RepositoryCommands, pull_fetches_external_data) {
  hub_.commit("owner/external", files_of("text_embedding/external_data"));
  EXPECT_THAT(names(answer({"pull", "owner/external"}).get("files")), ::testing::Contains("onnx/model.onnx_data"));
  const Outcome run = offline({"run", "text-embedding", "-m", "owner/external", "a", "--json"});
  EXPECT_EQ(run.status, 0) << run.errors;
}

TEST_F(RepositoryCommands, run_fetches_external_data_itself) {
  hub_.commit("owner/external", files_of("text_embedding/external_data"));
  const Outcome run = call({"run", "text-embedding", "-m", "owner/external", "a", "--json"});
  EXPECT_EQ(run.status, 0) << run.errors;
}

TEST_F(RepositoryCommands, pull_fetches_the_files_of_the_base_model) {
  ServedFiles files = files_of("text_embedding/bert_plain");
  files["README.md"] = {"---\nbase_model: owner/base\n---\n"};
  hub_.commit("owner/plain", std::move(files));
  hub_.change("owner/plain", [](ServedRepo& repo) { repo.card = R"({"base_model": "owner/base"})"; });
  ServedFiles base = files_of("text_embedding/dense_tanh");
  std::erase_if(base, [](const auto& file) { return file.first.starts_with("onnx/"); });
  base["pytorch_model.bin"] = {"weights", true};
  hub_.commit("owner/base", std::move(base));
  answer({"pull", "owner/plain"});
  EXPECT_EQ(hub_.count("pytorch_model.bin"), 0U);
  EXPECT_GT(hub_.count("2_Dense/model.safetensors"), 0U);
  const Outcome run = offline({"run", "text-embedding", "-m", "owner/plain", "a", "--json"});
  EXPECT_THAT(run.errors, Not(HasSubstr("cache")));
}

TEST_F(RepositoryCommands, pull_of_what_no_task_runs_says_what_to_do) {
  hub_.commit("owner/weights", {{"config.json", {"{}"}}, {"model.safetensors", {"weights", true}}});
  const Outcome outcome = call({"pull", "owner/weights"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("--all fetches everything"));
  EXPECT_EQ(answer({"pull", "owner/weights", "--all"}).get("files").size(), 2U);
}

TEST_F(RepositoryCommands, list_names_what_is_cached) {
  EXPECT_THAT(call({"list"}).output, HasSubstr("holds no models"));
  serve_variants();
  hub_.commit("owner/classifier", files_of("text_classification/bert"));
  answer({"pull", "owner/embedder"});
  answer({"pull", "owner/classifier"});
  const Json listed = answer({"list"});
  EXPECT_EQ(listed.get<std::string>("cache"), cache_.path().string());
  const auto repositories = listed.get("repositories").elements();
  ASSERT_EQ(repositories.size(), 2U);
  EXPECT_EQ(repositories[0].get<std::string>("repository"), "owner/classifier");
  const Json& embedder = repositories[1];
  EXPECT_GT(embedder.get<std::size_t>("size"), 150'000U);
  EXPECT_EQ(embedder.get("revisions").elements().at(0).get<std::string>("commit"), commit_);
  EXPECT_EQ(embedder.get("revisions").elements().at(0).get<std::vector<std::string>>("refs").at(0), "main");
  EXPECT_EQ(embedder.get("revisions").elements().at(0).get("files").size(), 10U);
  EXPECT_THAT(offline({"ls"}).output,
              ContainsRegex("owner/classifier +[0-9.]+ kB  main .*\nowner/embedder .*\n.* of 2 models in "));
}

TEST_F(RepositoryCommands, rm_frees_the_disk) {
  serve_variants();
  answer({"pull", "owner/embedder"});
  const auto size = answer({"list"}).get("repositories").elements().at(0).get<std::size_t>("size");
  const Json removed = answer({"rm", "owner/embedder"});
  EXPECT_EQ(removed.get<std::string>("repository"), "owner/embedder");
  EXPECT_EQ(removed.get<std::size_t>("freed"), size);
  EXPECT_EQ(answer({"list"}).get("repositories").size(), 0U);
  EXPECT_EQ(offline({"run", "text-embedding", "-m", "owner/embedder", "a"}).status, 1);
  const Outcome again = call({"rm", "owner/embedder"});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.errors, HasSubstr("transmuter list shows what is"));
  EXPECT_EQ(call({"rm", "owner/embedder@v1"}).status, 2);
}

TEST_F(RepositoryCommands, show_reads_a_directory) {
  const Json shown = answer({"show", test_folder("models/text_embedding/all_variants")});
  EXPECT_EQ(shown.get<std::vector<std::string>>("tasks"), std::vector<std::string>{"text-embedding"});
  const Json model = shown.get("models").elements().at(0);
  EXPECT_EQ(model.get<std::string>("name"), "model");
  std::vector<std::string> variants;
  for (const Json& file : model.get("files").elements()) {
    variants.push_back(file.get<std::string>("variant"));
    EXPECT_TRUE(file.get<bool>("on_disk"));
    EXPECT_EQ(file.get<bool>("chosen"), variants.back() == "fp32");
    EXPECT_GT(file.get<std::size_t>("size"), 90'000U);
  }
  EXPECT_THAT(variants, ElementsAre("fp32", "fp16", "q8", "q4"));
  EXPECT_EQ(model.get("inputs").elements().at(0).dump(),
            R"({"name":"input_ids","type":"int64","shape":["batch_size","sequence_length"]})");
  EXPECT_EQ(model.get("outputs").elements().at(0).dump(),
            R"({"name":"last_hidden_state","type":"float32","shape":["batch_size","sequence_length",32]})");
}

TEST_F(RepositoryCommands, show_knows_the_tasks_by_the_graph) {
  const auto tasks = [&](const std::string& model) {
    return answer({"show", test_folder("models/" + model)}).get<std::vector<std::string>>("tasks");
  };
  EXPECT_THAT(tasks("text_classification/bert"), ElementsAre("text-classification"));
  EXPECT_THAT(tasks("text_classification/not_a_classifier"), ElementsAre("text-embedding"));
  EXPECT_THAT(tasks("text_embedding/graph_pools"), ElementsAre("text-embedding"));
  EXPECT_THAT(tasks("text_embedding/file_in_the_root"), ElementsAre("text-embedding"));
}

TEST_F(RepositoryCommands, show_looks_at_the_hub) {
  serve_variants();
  ServedFiles files = files_of("text_embedding/all_variants");
  files["onnx/model_O4.onnx"] = files["onnx/model.onnx"];
  files["onnx/model.onnx"].content.resize(70'000'000);  // too large to be fetched for its inputs
  hub_.commit("owner/embedder", std::move(files));
  const Json shown = answer({"show", "owner/embedder"});
  const Json model = shown.get("models").elements().at(0);
  std::map<std::string, bool> on_disk;
  for (const Json& file : model.get("files").elements()) {
    on_disk[file.get<std::string>("variant")] = file.get<bool>("on_disk");
  }
  EXPECT_EQ(on_disk.size(), 5U);
  EXPECT_EQ(hub_.count("GET /owner/embedder/resolve/" + commit_ + "/onnx/model.onnx"), 0U);
  EXPECT_EQ(model.get("inputs").size(), 3U);
  EXPECT_EQ(shown.get<std::vector<std::string>>("tasks").at(0), "text-embedding");
}

TEST_F(RepositoryCommands, show_does_without_a_graph_that_is_too_large) {
  ServedFiles files = files_of("text_classification/bert");
  files["onnx/model.onnx"].content.resize(70'000'000);
  hub_.commit("owner/large", std::move(files));
  const Json shown = answer({"show", "owner/large"});
  EXPECT_TRUE(shown.get("models").elements().at(0).members().at(2).second.is_null());
  EXPECT_THAT(shown.get<std::vector<std::string>>("tasks"), ElementsAre("text-classification"));  // by config.json
  EXPECT_THAT(call({"show", "owner/large"}).output, HasSubstr("known after transmuter pull"));
}

TEST_F(RepositoryCommands, tell_apart_what_is_missing_and_what_is_gated) {
  hub_.commit("owner/gated", files_of("text_classification/bert"));
  hub_.change("owner/gated", [](ServedRepo& repo) { repo.is_gated = true; });
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"pull"}, {"show"}, {"run", "text-classification", "-m"}}) {
    const auto with = [&](const std::string& repository) {
      std::vector<std::string> arguments = command;
      arguments.push_back(repository);
      if (command.size() > 1) arguments.emplace_back("a text");
      return call(arguments);
    };
    const Outcome missing = with("owner/nothing");
    EXPECT_EQ(missing.status, 1);
    EXPECT_EQ(missing.output, "");
    EXPECT_THAT(missing.errors, ContainsRegex("NotFound: .*owner/nothing"));
    const Outcome gated = with("owner/gated");
    EXPECT_EQ(gated.status, 1);
    EXPECT_THAT(gated.errors, ContainsRegex("owner/gated.*(gated|token)"));
    EXPECT_EQ(with("owner/not/a/name").status, 2);
  }
  const Outcome revision = call({"pull", "owner/gated@nowhere", "--json"});
  EXPECT_EQ(revision.status, 1);
  EXPECT_EQ(revision.json().get<std::string>("error.kind"), "NotFound");
}

TEST_F(RepositoryCommands, are_strict_about_their_arguments) {
  serve_variants();
  const auto fault = [&](std::vector<std::string> arguments) {
    const Outcome outcome = call(std::move(arguments));
    EXPECT_EQ(outcome.output, "");
    return std::to_string(outcome.status) + " " + outcome.errors;
  };
  EXPECT_THAT(fault({"pull"}), HasSubstr("2 transmuter: InvalidInput: repository is required"));
  EXPECT_THAT(fault({"pull", "owner/embedder", "--al"}), HasSubstr("did you mean --all?"));
  EXPECT_THAT(fault({"pull", "owner/embedder", "--all", "--file", "config.json"}), HasSubstr("not both"));
  EXPECT_THAT(fault({"pull", "owner/embedder", "--file", "configs.json"}), HasSubstr("there is config.json"));
  EXPECT_THAT(fault({"pull", "owner/embedder", "--variant", "q3"}), HasSubstr("it has fp32"));
  EXPECT_THAT(fault({"pull", test_folder("models/text_embedding/bert_mean")}), HasSubstr("is a directory"));
  EXPECT_THAT(fault({"rm", test_folder("models/text_embedding/bert_mean")}), HasSubstr("is a directory"));
  EXPECT_THAT(fault({"list", "extra"}), HasSubstr("list: there is no \"extra\""));
  EXPECT_THAT(fault({"show", "/nonexistent"}), HasSubstr("1 transmuter: NotFound: /nonexistent"));
}

TEST_F(RepositoryCommands, take_a_cache_folder) {
  serve_variants();
  const TemporaryFolder other;
  answer({"pull", "owner/embedder", "--cache-dir", other.path()});
  EXPECT_EQ(answer({"list"}).get("repositories").size(), 0U);
  EXPECT_EQ(answer({"list", "--cache-dir", other.path()}).get("repositories").size(), 1U);
  EXPECT_EQ(
      call({"run", "text-embedding", "-m", "owner/embedder", "--offline", "--cache-dir", other.path(), "a"}).status, 0);
  answer({"rm", "owner/embedder", "--cache-dir", other.path()});
  EXPECT_EQ(answer({"list", "--cache-dir", other.path()}).get("repositories").size(), 0U);
}

}  // namespace
}  // namespace transmuter::testing
