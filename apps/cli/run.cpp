#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/lines.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/readable.hpp"
#include "cli/request.hpp"
#include "cli/results.hpp"
#include "tasks/registry.hpp"

namespace transmuter::cli {
namespace {

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(ErrorCode::Unavailable, "--save {}: cannot be made: {}", folder, error.message());
}

void print_help(const Task& task) {
  std::string text = fmt::format("transmuter run {} [-m MODEL] INPUT... [--set key=value]...\n\n{}\n",
                                 command_name(task), task.description);
  const auto table = [&](std::string_view title, const std::vector<FieldHelp>& fields) {
    text += fmt::format("\n{}:\n", title);
    for (const FieldHelp& field : fields)
      text += fmt::format("  {:<26} {}\n  {:<26}   {}\n", field.name, field.type, "", field.description);
  };
  if (!task.inputs.empty()) {
    table(task.takes_text ? "An input is a text, or an object in a request or a line" : "An input is an object as JSON",
          task.inputs);
  }
  table("Options (--set key=value, or \"options\" of a request)", task.options);
  text += fmt::format("\nWithout -m it uses {}.\n",
                      task.default_repository.empty() ? "the built-in model" : task.default_repository);
  print(text);
}

std::vector<Json> inputs_of(const Task& task, const std::vector<std::string>& arguments) {
  std::vector<Json> inputs;
  for (const std::string& argument : arguments) {
    inputs.push_back(task.takes_text ? Json(argument) : object_input(task, argument));
  }
  return inputs;
}

std::unique_ptr<AnyServing> open(const Task& task, const RunArguments& arguments, const Json& options,
                                 const Progress& progress) {
  if (!arguments.model.empty()) return task.open(source_of(arguments.model), options, progress);
  if (task.default_repository.empty()) {
    fmt::print(stderr, "{}: using the built-in model all-MiniLM-L6-v2 (4-bit weights); -m names another one\n",
               command_name(task));
    return task.open(builtin_model(), options, progress);
  }
  fmt::print(stderr, "{}: using {}; -m names another model\n", command_name(task), task.default_repository);
  return task.open(hf(task.default_repository), options, progress);
}

}  // namespace

void print_tasks() {
  std::string text = "\nTasks:\n";
  for (const Task& task : tasks()) text += fmt::format("  {:<24} {}\n", command_name(task), task.description);
  print(text);
}

void run(const RunArguments& arguments) {
  if (arguments.task.empty())
    fail(ErrorCode::InvalidInput, "run: name a task, as in transmuter run text-embedding (transmuter run --help)");
  const Task& task = find_task(arguments.task);
  if (arguments.help) return print_help(task);
  if (!arguments.request.empty() && (arguments.lines || !arguments.inputs.empty())) {
    fail(ErrorCode::InvalidInput, "give inputs in the request or on the command line, not both");
  }
  if (!arguments.save.empty()) make_folder(arguments.save);

  ProgressBars bars;
  Json options = options_of(arguments.settings, task.options);
  std::vector<Json> inputs = inputs_of(task, arguments.inputs);
  if (!arguments.request.empty()) {
    const Request request = read_request(arguments.request);
    options = arguments.settings.empty() ? request.options : merged(request.options, options);
    inputs = request.inputs;
  } else if (inputs.empty() && !arguments.lines && isatty(STDIN_FILENO) == 1) {
    fail(ErrorCode::InvalidInput, "give an input, or lines on standard input (transmuter run {} --help)",
         arguments.task);
  }
  const auto serving = open(task, arguments, options, bars.downloads());
  if (arguments.request.empty() && inputs.empty()) return run_lines(task, *serving, arguments, bars);

  std::vector<Json> results;
  for (const auto& result : serving->run(inputs)) results.push_back(json_of(*result, results.size(), arguments.save));
  if (arguments.json) {
    print(Json::object({{"results", Json::array(results)}}).dump() + '\n');
  } else if (arguments.request.empty()) {
    print(readable(inputs, results));
  } else {
    print(Json::object({{"results", Json::array(results)}}).dump(2) + '\n');
  }
}

}  // namespace transmuter::cli
