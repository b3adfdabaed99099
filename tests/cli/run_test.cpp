// transmuter run: one call, inputs from arguments or a request.
#include <filesystem>
#include <gmock/gmock.h>

#include "support/golden.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"
#include "tensor/npy.hpp"

namespace transmuter::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kClassifier = test_folder("models/text_classification/bert");
const std::string kEmbedder = test_folder("models/text_embedding/bert_mean");

Call classify(std::vector<std::string> more) {
  more.insert(more.begin(), {"run", "text-classification", "-m", kClassifier});
  return {.arguments = std::move(more)};
}

Call embed(std::vector<std::string> more) {
  more.insert(more.begin(), {"run", "text-embedding", "-m", kEmbedder});
  return {.arguments = std::move(more)};
}

std::vector<Json> results_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  return outcome.json().get("results").elements();
}

/// A failure: status, one line on standard error, and nothing on standard output.
void expect_failure(const Outcome& outcome, int status, const std::string& part) {
  EXPECT_EQ(outcome.status, status) << outcome.errors;
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.errors, StartsWith("transmuter: "));
  EXPECT_THAT(outcome.errors, HasSubstr(part));
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
}

TEST(Run, gives_one_result_an_input_in_their_order) {
  const auto together = results_of(run_program(classify({"a film", "", "a book", "--json"})));
  ASSERT_EQ(together.size(), 3U);
  const std::vector<std::string> inputs = {"a film", "", "a book"};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto alone = results_of(run_program(classify({inputs[i], "--json"})));
    EXPECT_EQ(together[i].dump(), alone.at(0).dump());
  }
  EXPECT_EQ(together[0].get("predictions").size(), 5U);
}

TEST(Run, prints_nothing_else_with_json) {
  const Outcome outcome = run_program(embed({"one", "--json"}));
  EXPECT_EQ(outcome.lines().size(), 1U);
  EXPECT_EQ(outcome.errors, "");
}

TEST(Run, prints_tables_for_people) {
  EXPECT_THAT(run_program(classify({"a film"})).output, ContainsRegex("a film\n  .*joy"));
  EXPECT_THAT(run_program(embed({"one", "two"})).output, HasSubstr("Cosine similarity"));
  EXPECT_THAT(run_program(embed({"one", "--set", "dimensions=1"})).output, HasSubstr("one\n  1 dimension: "));
}

TEST(Run, prints_entities_and_answers_for_people) {
  const std::string reader = test_folder("models/question_answering/bert");
  const std::string question = R"({"question": "Who bakes?", "context": "the mayor bakes bread"})";
  EXPECT_THAT(call_program({"run", "question-answering", "-m", reader, question, "--set", "top_k=2"}).output,
              ContainsRegex("^Who bakes[?]\n +0[.][0-9]+  [a-z ]+  [(][0-9]+ to [0-9]+[)]\n"));
  const std::string tagger = test_folder("models/token_classification/bert");
  const auto tag = [&](const std::string& text) {
    return call_program({"run", "ner", "-m", tagger, text, "--set", "aggregation=same"}).output;
  };
  EXPECT_THAT(tag("Ada lives in Paris."), ContainsRegex("^Ada lives in Paris[.]\n  [A-Z]+ +[a-z]+ +0[.]"));
  EXPECT_EQ(tag(""), "\n  none\n");
}

TEST(Run, takes_objects_where_no_text_can_be_an_input) {
  const auto ask = [](const std::vector<std::string>& inputs, const std::string& lines) {
    Call call{.arguments = {"run", "question-answering", "-m", test_folder("models/question_answering/bert")},
              .input = lines};
    call.arguments.insert(call.arguments.end(), inputs.begin(), inputs.end());
    return run_program(call);
  };
  expect_failure(ask({"Who bakes?"}, ""), 2, "an input of question-answering is an object, as {\"question\": ...}");
  expect_failure(ask({"[1]"}, ""), 2, "must be an object");
  expect_failure(ask({R"({"question": "Who bakes?"})"}, ""), 2, "context");
  expect_failure(ask({}, "Who bakes?\n"), 2,
                 "line 1: an input of question-answering is an object, as {\"question\": ...}");
  expect_failure(ask({}, "3\n"), 2, "line 1: input: must be an object");
  const std::string line = R"({"question": "Who?", "context": "a word"})";
  EXPECT_EQ(ask({}, line + "\n" + line).lines().size(), 2U);
  EXPECT_THAT(call_program({"run", "question-answering", "--help"}).output, HasSubstr("An input is an object"));
}

TEST(Run, shows_entities_with_their_places) {
  const std::string model = test_folder("models/zero_shot_entity_recognition/span");
  const auto find = [&](const std::string& threshold) {
    return call_program({"run", "zero-shot-entity-recognition", "-m", model, "Anna lives", "--set",
                         "labels=[\"person\", \"city\"]", "--set", "threshold=" + threshold});
  };
  EXPECT_THAT(find("0").output, ContainsRegex("Anna lives\n  (person|city)  .*  0\\.[0-9]+  \\([0-9]+ to [0-9]+\\)\n"));
  EXPECT_EQ(find("1").output, "Anna lives\n  none\n");
}

TEST(Run, names_the_model_that_it_uses_without_one) {
  const Outcome outcome = call_program({"run", "text-embedding", "one", "--json"});
  EXPECT_EQ(results_of(outcome).size(), 1U);
  EXPECT_THAT(outcome.errors, HasSubstr("all-MiniLM-L6-v2"));
}

TEST(Run, takes_the_names_of_the_pipelines) {
  EXPECT_EQ(results_of(call_program({"run", "sentiment-analysis", "-m", kClassifier, "a", "--json"})).size(), 1U);
  EXPECT_EQ(results_of(call_program({"run", "text_embedding", "-m", kEmbedder, "a", "--json"})).size(), 1U);
}

TEST(Run, keeps_inputs_as_they_are) {
  const std::vector<std::string> inputs = {"[a, b]", "[]",   "list", "--set", "-x", "key=value",
                                           "{}",     "-3.5", "-",    "\"q\"", "%",  "\xF0\x9F\x98\x80"};
  std::vector<std::string> arguments = {"--json", "--"};
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  const auto results = results_of(run_program(classify(arguments)));
  const std::vector<Json> wanted(inputs.begin(), inputs.end());
  Call request = classify({"--json", "--request", "-"});
  request.input = Json::object({{"inputs", Json::array(wanted)}}).dump();
  const auto expected = results_of(run_program(request));
  ASSERT_EQ(results.size(), expected.size());
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].dump(), expected[i].dump()) << inputs[i];
}

TEST(Run, takes_options_before_between_and_after_inputs) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--set", "top_k=1", "a", "b", "--json"},
                                                    {"a", "--json", "--set", "top_k=1", "b"},
                                                    {"a", "b", "--json", "--set=top_k=1"}}) {
    const auto results = results_of(run_program(classify(arguments)));
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].get("predictions").size(), 1U);
  }
}

TEST(Settings, reach_into_objects_and_hold_json) {
  const auto size = [](const std::vector<std::string>& settings) {
    std::vector<std::string> arguments = {"a few words in a row that go on", "--json", "--set", "output_pool=none"};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    return results_of(run_program(embed(arguments))).at(0).get("embedding").size();
  };
  EXPECT_GT(size({}), 8U);
  EXPECT_EQ(size({"compile.sequence_length=8"}), 8U);
  EXPECT_EQ(size({"compile.sequence_length=[4, 8]"}), 8U);
  EXPECT_EQ(size({"compile={\"sequence_length\": [8]}"}), 8U);
  EXPECT_EQ(size({"compile.batch_size=2", "compile.sequence_length=8"}), 8U);
  EXPECT_EQ(size({"compile.sequence_length=6", "compile.sequence_length=8"}), 8U);  // the last one counts
}

TEST(Settings, keep_texts_that_look_like_numbers) {
  const auto with = [](const std::string& prompt, const std::string& input) {
    return results_of(run_program(embed({input, "--json", "--set", prompt}))).at(0).dump();
  };
  EXPECT_EQ(with("prompt=12", " apples"), with("prompt=", "12 apples"));
  EXPECT_EQ(with("prompt=true", " apples"), with("prompt=", "true apples"));
  EXPECT_EQ(with("prompt=a=b", " apples"), with("prompt=", "a=b apples"));
}

TEST(Settings, have_short_forms) {
  const std::string model = test_folder("models/text_embedding/all_variants");
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", "text-embedding", "-m", model, "a text", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return results_of(call_program(arguments)).at(0).dump();
  };
  EXPECT_EQ(run({"--variant", "q8"}), run({"--set", "variant=q8"}));
  EXPECT_NE(run({"--variant", "q8"}), run({}));
  EXPECT_EQ(run({"--variant", "q8", "--set", "variant=fp32"}), run({}));  // the long form counts
  EXPECT_EQ(run({"--threads", "1", "--batch-size", "1", "--backend", "cpu", "--offline"}), run({}));
}

TEST(Settings, that_are_wrong_are_named) {
  expect_failure(run_program(classify({"a", "--set", "top_k"})), 2, "--set top_k: must be key=value");
  expect_failure(run_program(classify({"a", "--set", "=3"})), 2, "must be key=value");
  expect_failure(run_program(classify({"a", "--set", "topk=3"})), 2, "did you mean \"top_k\"?");
  expect_failure(run_program(classify({"a", "--set", "compile.batchsize=3"})), 2, "did you mean \"batch_size\"?");
  expect_failure(run_program(classify({"a", "--set", "top_k=many"})), 2, "top_k");
  expect_failure(run_program(classify({"a", "--set", "top_k=[1"})), 2, "not valid JSON");
  expect_failure(run_program(classify({"a", "--threads", "many"})), 2, "threads");
  expect_failure(run_program(classify({"a", "--set", "compile.sequence_length=32,64"})), 2,
                 "a list is written [32,64]");
  expect_failure(run_program(classify({"a", "--set", "variant={\"decoder\": \"q4\"}"})), 2, "\"decoder\" is no file");
  expect_failure(run_program(classify({"a", "--set", "variant=[5]"})), 2, "variant: must be a text or an object");
  expect_failure(run_program(classify({"a", "--backend", "gpu9"})), 2, "gpu9");
  expect_failure(run_program(classify({"a", "--variant", "q3"})), 1, "q3");
}

TEST(Request, comes_from_a_file_or_standard_input) {
  const TemporaryFolder folder;
  const std::string request = R"({"options": {"top_k": 2}, "inputs": ["a", {"text": "b", "text_pair": "c"}]})";
  write_file(folder.file("request.json"), request);
  const auto from_file = results_of(run_program(classify({"--request", folder.file("request.json"), "--json"})));
  Call piped = classify({"--request", "-", "--json"});
  piped.input = request;
  const auto from_input = results_of(run_program(piped));
  ASSERT_EQ(from_file.size(), 2U);
  EXPECT_EQ(from_file[0].get("predictions").size(), 2U);
  EXPECT_EQ(from_file[0].dump(), from_input.at(0).dump());
  EXPECT_EQ(from_file[1].dump(), from_input.at(1).dump());
}

TEST(Request, takes_objects_with_a_text_for_every_text_task) {
  Call call = embed({"--request", "-", "--json"});
  call.input = R"({"inputs": ["a film", {"text": "a film"}]})";
  const auto results = results_of(run_program(call));
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].dump(), results[1].dump());
}

TEST(Request, takes_settings_over_its_options) {
  Call call = classify({"--request", "-", "--json", "--set", "top_k=1"});
  call.input = R"({"options": {"top_k": 3, "function_to_apply": "none"}, "inputs": ["a"]})";
  EXPECT_EQ(results_of(run_program(call)).at(0).get("predictions").size(), 1U);
}

TEST(Request, without_inputs_has_no_results) {
  Call call = classify({"--request", "-", "--json"});
  call.input = R"({"inputs": []})";
  EXPECT_TRUE(results_of(run_program(call)).empty());
}

TEST(Request, that_is_wrong_is_named) {
  const auto with = [](const std::string& request) {
    Call call = classify({"--request", "-"});
    call.input = request;
    return run_program(call);
  };
  expect_failure(with("{\"inputs\": ["), 2, "request: not valid JSON");
  expect_failure(with(""), 2, "request: not valid JSON");
  expect_failure(with("[]"), 2, "request: must be an object");
  expect_failure(with("{}"), 2, "\"inputs\" is missing");
  expect_failure(with("{\"inputs\": \"a\"}"), 2, "request: inputs: must be a list");
  expect_failure(with("{\"input\": [\"a\"]}"), 2, "did you mean \"inputs\"?");
  expect_failure(with("{\"inputs\": [3]}"), 2, "request: inputs[0]");
  expect_failure(with("{\"inputs\": [{\"txt\": \"a\"}]}"), 2, "request: inputs[0]");
  expect_failure(with("{\"inputs\": [], \"options\": {\"topk\": 1}}"), 2, "request: options: unknown option");
  expect_failure(with("{\"inputs\": [], \"options\": 3}"), 2, "request: options: must be an object");
  expect_failure(with("{\"inputs\": [\"\xFF\"]}"), 2, "request: not valid JSON");
  expect_failure(run_program(classify({"--request", "/nonexistent.json"})), 1, "/nonexistent.json: cannot be read");
  expect_failure(run_program(classify({"--request", "/"})), 1, "/: cannot be read");
  expect_failure(run_program(classify({"--request", "-", "a"})), 2, "not both");
}

TEST(Inspect, applies_chat_templates) {
  const auto apply = [](const std::string& request) {
    return run_program({.arguments = {"inspect", "chat-template", "--request", "-", "--json"}, .input = request});
  };
  const std::string messages = R"("messages": [{"role": "user", "content": "Hi"}])";
  const std::string source =
      R"("template": "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}{{ mood }}")";
  EXPECT_EQ(
      apply("{" + source + ", " + messages + R"(, "special_tokens": {"bos_token": "<s>"}, "kwargs": {"mood": "!"}})")
          .json()
          .get<std::string>("text"),
      "<s>Hi!");
  EXPECT_EQ(apply("{" + source + ", " + messages + R"(, "kwargs": {"continue_final_message": true}})")
                .json()
                .get<std::string>("text"),
            "Hi");
  const Outcome without = apply("{" + source + "}");
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.errors, HasSubstr("messages"));
  const Outcome plain = apply("{" + messages + R"(, "model": ")" + kEmbedder + R"("})");
  EXPECT_EQ(plain.status, 1);
  EXPECT_THAT(plain.errors, HasSubstr("has no chat template"));
}

TEST(Errors, are_an_object_on_standard_output_with_json) {
  const Outcome outcome = run_program(classify({"a", "--json", "--set", "topk=1"}));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.json().get<std::string>("error.kind"), "InvalidInput");
  EXPECT_EQ("transmuter: InvalidInput: " + outcome.json().get<std::string>("error.message") + "\n", outcome.errors);
  const Outcome model = call_program({"run", "text-embedding", "-m", "/nonexistent", "a", "--json"});
  EXPECT_EQ(model.status, 1);
  EXPECT_EQ(model.json().get<std::string>("error.kind"), "NotFound");
  const Outcome arguments = call_program({"run", "text-embedding", "--json", "--nonsense"});
  EXPECT_EQ(arguments.status, 2);
  EXPECT_EQ(arguments.json().get<std::string>("error.kind"), "InvalidInput");
}

TEST(Errors, tell_wrong_calls_from_failed_runs) {
  expect_failure(call_program({}), 2, "name a command");
  expect_failure(call_program({"rnu"}), 2, "did you mean run?");
  expect_failure(call_program({"run"}), 2, "name a task");
  expect_failure(call_program({"run", "text-embeding", "a"}), 2, "did you mean text-embedding?");
  expect_failure(call_program({"run", "paint", "a"}), 2, "there are text-embedding, ");
  expect_failure(run_program(classify({"a", "--jsn"})), 2, "did you mean --json?");
  expect_failure(call_program({"run", "text-embedding", "-m"}), 2, "--model");
  for (const char* flag : {"-m", "--save", "--request", "--variant"}) {
    expect_failure(call_program({"run", "text-embedding", flag, "", "a"}), 2, "must not be empty");
  }
  expect_failure(run_program(classify({"a", "--jsn"})), 2, "(transmuter run --help)");
  expect_failure(call_program({"rnu"}), 2, "(transmuter --help)");
  expect_failure(call_program({"run", "text-embedding", "-m", "nothing", "a"}), 1, "no directory nothing here");
  expect_failure(call_program({"run", "text-embedding", "-m", kEmbedder + "/onnx", "a"}), 2, kEmbedder);
  expect_failure(call_program({"run", "text-embedding", "-m", "no/such/name", "a"}), 2, "no/such/name");
  expect_failure(call_program({"run", "text-embedding", "-m", "/nonexistent", "a"}), 1, "/nonexistent");
  expect_failure(call_program({"run", "text-embedding", "-m", kClassifier, "a", "--set", "output_pool=mean_pooling"}),
                 1, "logits");
  expect_failure(run_program(classify({"a \xFF b"})), 2, "not valid UTF-8");
  EXPECT_THAT(call_program({"inspect", "nothing", "--request", "-"}).errors, HasSubstr("there are tokenize, "));
}

TEST(Save, writes_npy_files_that_the_results_name) {
  const TemporaryFolder folder;
  const std::string place = folder.file("new/vectors");
  const auto saved = results_of(run_program(embed({"one", "two words", "--json", "--save", place})));
  const auto plain = results_of(run_program(embed({"one", "two words", "--json"})));
  ASSERT_EQ(saved.size(), 2U);
  for (std::size_t i = 0; i < saved.size(); ++i) {
    const Json embedding = saved[i].get("embedding");
    EXPECT_EQ(embedding.get<std::string>("npy"), place + "/" + std::to_string(i) + "-embedding.npy");
    EXPECT_EQ(embedding.get<std::string>("dtype"), "float32");
    const FloatTensor tensor = read_npy(embedding.get<std::string>("npy"));
    EXPECT_EQ(tensor.shape, embedding.get<std::vector<std::int64_t>>("shape"));
    EXPECT_EQ(tensor.values, plain[i].get<std::vector<float>>("embedding"));
  }
  const std::string bytes = read_file(place + "/0-embedding.npy");
  EXPECT_THAT(bytes, StartsWith(std::string("\x93NUMPY\x01\x00", 8)));
  EXPECT_THAT(bytes, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (24, ), }"));
  EXPECT_EQ(bytes.find('\n') % 64, 63U);  // NumPy maps the data, which begins at a multiple of 64
  EXPECT_EQ(std::distance(fs::directory_iterator(place), fs::directory_iterator()), 2);
}

TEST(Save, shows_people_where_the_files_lie) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(embed({"one", "two", "--save", folder.path()}));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "one\n  " + folder.file("0-embedding.npy") + ", shape [24]\ntwo\n  " +
                                folder.file("1-embedding.npy") + ", shape [24]\n");
}

TEST(Save, fails_where_nothing_can_be_written) {
  expect_failure(run_program(embed({"a", "--save", "/proc/vectors"})), 1, "--save /proc/vectors");
}

TEST(Output, that_cannot_be_written_is_an_error) {
  Call call = classify({"a"});
  call.output_file = "/dev/full";
  expect_failure(run_program(call), 1, "standard output cannot be written");
}

TEST(Program, runs_from_another_folder_and_through_a_link) {
  const TemporaryFolder folder;
  fs::create_symlink(TRANSMUTER_PROGRAM, folder.file("tm"));
  fs::create_directory_symlink(kEmbedder, folder.file("model"));
  const Call call{.arguments = {"run", "text-embedding", "-m", "model", "one", "--json"},
                  .folder = folder.path(),
                  .program = folder.file("tm")};
  EXPECT_EQ(results_of(run_program(call)).at(0).dump(), results_of(run_program(embed({"one", "--json"}))).at(0).dump());
  const Call built_in{
      .arguments = {"run", "text-embedding", "one", "--json"}, .folder = folder.path(), .program = folder.file("tm")};
  EXPECT_EQ(results_of(run_program(built_in)).at(0).get("embedding").size(), 384U);
}

const std::string kRanking = R"({"query": "a cat", "documents": ["one film", "two\ncats"]})";

TEST(Run, takes_an_object_as_an_argument) {
  std::vector<std::string> arguments = {"run", "text-ranking", "-m", test_folder("models/text_ranking/bert"), kRanking};
  const std::string shown = run_program({.arguments = arguments}).output;
  EXPECT_THAT(shown, StartsWith("a cat\n"));
  EXPECT_THAT(shown, ContainsRegex("0  one film +-?[0-9.]+"));
  EXPECT_THAT(shown, ContainsRegex("1  two cats +-?[0-9.]+"));
  arguments.emplace_back("--json");
  EXPECT_EQ(results_of(run_program({.arguments = arguments})).at(0).get("results").size(), 2U);
  arguments[4] = "a cat";
  EXPECT_THAT(run_program({.arguments = arguments}).errors,
              HasSubstr("an input of text-ranking is an object, as {\"query\": ...}"));
  arguments[4] = "3";
  EXPECT_THAT(run_program({.arguments = arguments}).errors, HasSubstr("must be an object"));
}

TEST(Run, shows_the_words_for_each_mask) {
  const std::vector<std::string> arguments = {
      "run",           "fill-mask",   "-m",    test_folder("models/fill_mask/bert"),
      "[MASK] [MASK]", "the [MASK].", "--set", "top_k=2"};
  EXPECT_THAT(run_program({.arguments = arguments}).output,
              ContainsRegex("^.MASK. .MASK.\n mask 1\n.*\n.*\n mask 2\n.*\n.*\nthe .MASK..\n  .*\n  .*\n$"));
}

TEST(Run, splits_labels_at_commas) {
  std::vector<std::string> arguments = {
      "run",   "zero-shot-classification", "-m",    test_folder("models/zero_shot_classification/bert"), "a text",
      "--set", "labels=cats, dogs",        "--json"};
  EXPECT_EQ(results_of(run_program({.arguments = arguments})).at(0).get("predictions").size(), 2U);
  arguments[6] = R"(labels=["cats, dogs"])";
  EXPECT_EQ(results_of(run_program({.arguments = arguments})).at(0).get("predictions").size(), 1U);
}

}  // namespace
}  // namespace transmuter::testing
