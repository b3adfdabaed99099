// transmuter run without inputs: lines of standard input.
#include <csignal>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace transmuter::testing {
namespace {

using ::testing::HasSubstr;

const std::string kClassifier = test_folder("models/text_classification/bert");

Call classify_lines(const std::string& input, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", "text-classification", "-m", kClassifier, "--set", "top_k=1"});
  return {.arguments = std::move(more), .input = input};
}

/// What a request with these inputs gives, one line a result.
std::vector<std::string> expected_lines(const std::vector<Json>& inputs) {
  Call call = classify_lines(Json::object({{"inputs", Json::array(inputs)}}).dump(), {"--request", "-", "--json"});
  std::vector<std::string> lines;
  for (const Json& result : run_program(call).json().get("results").elements()) lines.push_back(result.dump());
  return lines;
}

TEST(Lines, give_a_line_each_in_their_order) {
  std::string input;
  std::vector<Json> inputs;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = fmt::format("text {}{}", i, std::string(static_cast<std::size_t>(i % 37), 'x'));
    input += text + '\n';
    inputs.emplace_back(text);
  }
  const Outcome outcome = run_program(classify_lines(input));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.lines(), expected_lines(inputs));
  EXPECT_EQ(outcome.errors, "");
}

TEST(Lines, end_as_files_of_every_system_end_them) {
  EXPECT_EQ(run_program(classify_lines("a\n\nb\r\n\r\nc")).lines(), expected_lines({"a", "", "b", "", "c"}));
  EXPECT_EQ(run_program(classify_lines("a\rb\nc\r\r\n")).lines(), expected_lines({"a\rb", "c\r"}));
  EXPECT_EQ(run_program(classify_lines("\n")).lines(), expected_lines({""}));
}

TEST(Lines, may_hold_an_object_or_a_zero_byte) {
  EXPECT_EQ(run_program(classify_lines(std::string("{\"text\": \"a\", \"text_pair\": \"b\"}\na\0b\n", 35))).lines(),
            expected_lines({Json::object({{"text", "a"}, {"text_pair", "b"}}), std::string("a\0b", 3)}));
}

TEST(Lines, are_none_in_empty_input) {
  const Outcome outcome = run_program(classify_lines(""));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.errors, "");
}

TEST(Lines, that_fail_are_named_after_the_results_before_them) {
  const Outcome broken = run_program(classify_lines("a\nb\n\xFF\nd\n"));
  EXPECT_EQ(broken.status, 2);
  EXPECT_EQ(broken.lines(), expected_lines({"a", "b"}));
  EXPECT_THAT(broken.errors, HasSubstr("line 3: the text is not valid UTF-8 at byte 0"));
  const Outcome object = run_program(classify_lines("a\n{\"txt\": 1}\n", {"--json"}));
  EXPECT_EQ(object.status, 2);
  EXPECT_EQ(object.lines().size(), 2U);
  EXPECT_THAT(object.lines().back(), HasSubstr("\"error\""));
  EXPECT_THAT(object.errors, HasSubstr("line 2: "));
  const Outcome text = run_program(classify_lines("{braces}\n"));
  EXPECT_THAT(text.errors, HasSubstr("line 1: a line that begins with \"{\" is an input as JSON"));
}

TEST(Lines, may_be_very_long) {
  std::string line;
  while (line.size() < 4'000'000) line += "many words ";
  const Outcome outcome = run_program(classify_lines(line + "\nshort\n" + line + "\n"));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  ASSERT_EQ(outcome.lines().size(), 3U);
  EXPECT_EQ(outcome.lines()[0], outcome.lines()[2]);
}

TEST(Lines, need_standard_input_that_can_be_read) {
  Call call = classify_lines("");
  call.input_file = "/";
  const Outcome outcome = run_program(call);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("standard input cannot be read"));
}

TEST(Lines, end_when_nobody_reads_the_results) {
  const TemporaryFolder folder;
  std::string input;
  for (int i = 0; i < 50'000; ++i) input += "a line\n";
  write_file(folder.file("lines.txt"), input);
  Call call = classify_lines("");
  call.input_file = folder.file("lines.txt");
  call.read_at_most = 1;
  const Outcome outcome = run_program(call);
  EXPECT_EQ(outcome.signal, SIGPIPE);
  EXPECT_EQ(outcome.errors, "");
}

TEST(Lines, are_answered_while_the_other_side_waits) {
  Conversation conversation(classify_lines(""));
  const auto expected = expected_lines({"first", "second"});
  conversation.write("first\n");
  EXPECT_EQ(conversation.read_line(), expected[0]);
  conversation.write("second\n");
  EXPECT_EQ(conversation.read_line(), expected[1]);
  EXPECT_EQ(conversation.close(), 0);
}

TEST(Lines, are_whole_when_a_signal_ends_the_program) {
  Conversation conversation(classify_lines(""));
  std::string input;
  for (int i = 0; i < 8000; ++i) input += "a line\n";  // more results than a pipe holds
  conversation.write(input);
  const std::string first = conversation.read_line();
  const std::string rest = conversation.stop(SIGTERM);
  ASSERT_FALSE(rest.empty());
  EXPECT_EQ(rest.size() % (first.size() + 1), 0U);
  EXPECT_EQ(rest.back(), '\n');
}

TEST(Lines, may_be_objects_with_a_text_for_every_text_task) {
  const std::string model = test_folder("models/text_embedding/bert_mean");
  const auto lines = [&](const std::string& input) {
    return run_program({.arguments = {"run", "text-embedding", "-m", model}, .input = input}).lines();
  };
  EXPECT_EQ(lines("{\"text\": \"a film\"}\n"), lines("a film\n"));
  EXPECT_EQ(lines("{braces}\n{\"texts\": 1}\n").size(), 2U);  // texts
}

TEST(Lines, are_read_for_a_lone_dash) {
  EXPECT_EQ(run_program(classify_lines("a\nb\n", {"-"})).lines(), expected_lines({"a", "b"}));
  Call request = classify_lines("{}", {"-", "--request", "-"});
  EXPECT_THAT(run_program(request).errors, HasSubstr("not both"));
}

TEST(Lines, take_memory_for_a_part_of_them_only) {
  const TemporaryFolder folder;
  const auto peak = [&](int lines) {
    std::string input;
    for (int i = 0; i < lines; ++i) input += fmt::format("line {}\n", i);
    write_file(folder.file("lines.txt"), input);
    Call call = classify_lines("");
    call.input_file = folder.file("lines.txt");
    call.output_file = folder.file("results.jsonl");
    const Outcome outcome = run_program(call);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    const std::string results = read_file(folder.file("results.jsonl"));
    EXPECT_EQ(std::ranges::count(results, '\n'), lines);
    return outcome.peak_kilobytes;
  };
  const long few = peak(5'000);
  EXPECT_LT(peak(200'000), few + 10'000);
}

TEST(Lines, are_saved_by_their_number) {
  const TemporaryFolder folder;
  const Call call{.arguments = {"run", "text-embedding", "-m", test_folder("models/text_embedding/bert_mean"), "--save",
                                folder.path()},
                  .input = "a\nb\n"};
  const auto lines = run_program(call).lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[1], HasSubstr("1-embedding.npy"));
  EXPECT_TRUE(std::filesystem::exists(folder.file("1-embedding.npy")));
}

}  // namespace
}  // namespace transmuter::testing
