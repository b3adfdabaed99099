// --help names all that there is.
#include <gmock/gmock.h>

#include "support/program.hpp"
#include "tasks/registry.hpp"

namespace transmuter::testing {
namespace {

using ::testing::HasSubstr;

std::string help(const std::vector<std::string>& arguments) {
  const Outcome outcome = call_program(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  return outcome.output;
}

TEST(Help, of_the_program_names_the_commands) {
  for (const char* flag : {"--help", "-h"}) {
    const std::string text = help({flag});
    for (const char* command : {"run", "inspect", "pull", "list", "show", "rm"}) EXPECT_THAT(text, HasSubstr(command));
  }
}

TEST(Help, of_run_names_the_tasks_and_the_options) {
  const std::string text = help({"run", "--help"});
  for (const Task& task : tasks()) EXPECT_THAT(text, HasSubstr("  " + command_name(task) + " "));
  for (const char* option : {"--model", "--set", "--request", "--save", "--json", "--variant", "--revision",
                             "--cache-dir", "--offline", "--backend", "--threads", "--batch-size"}) {
    EXPECT_THAT(text, HasSubstr(option));
  }
}

TEST(Help, of_a_task_names_every_option_and_input) {
  for (const Task& task : tasks()) {
    const std::string text = help({"run", command_name(task), "--help"});
    EXPECT_THAT(text, HasSubstr(task.description));
    ASSERT_FALSE(task.options.empty());
    for (const auto* fields : {&task.options, &task.inputs}) {
      for (const FieldHelp& field : *fields) {
        EXPECT_THAT(text, HasSubstr("  " + field.name + " "));
        EXPECT_THAT(text, HasSubstr(field.description));
      }
    }
  }
}

TEST(Help, of_a_command_documents_its_json) {
  for (const char* command : {"pull", "list", "show", "rm"}) {
    const std::string text = help({command, "--help"});
    EXPECT_THAT(text, HasSubstr("--json"));
    EXPECT_THAT(text, HasSubstr("JSON: {\""));
  }
}

TEST(Help, names_the_kinds_of_values) {
  const std::string text = help({"run", "--help"});
  EXPECT_THAT(text, HasSubstr("--set KEY=VALUE"));
  EXPECT_THAT(text, HasSubstr("--threads INT"));
  EXPECT_THAT(text, HasSubstr("--batch-size INT"));
}

TEST(Help, that_cannot_be_written_is_an_error) {
  for (const auto& arguments : {std::vector<std::string>{"--help"}, {"run", "--help"}, {"pull", "-h"}, {"--version"}}) {
    const Outcome outcome = run_program({.arguments = arguments, .output_file = "/dev/full"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("standard output cannot be written"));
  }
}

TEST(Help, tells_the_version) { EXPECT_THAT(help({"--version"}), ::testing::StartsWith("transmuter ")); }

}  // namespace
}  // namespace transmuter::testing
