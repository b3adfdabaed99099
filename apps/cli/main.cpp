#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/ranges.h>
#include <functional>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/describe.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "transmuter/error.hpp"

namespace transmuter::cli {
namespace {

using Texts = std::vector<std::string>;

/// An option of the program that is a short form of --set key=value.
struct Flag {
  const char* name;
  const char* key;
  const char* help;
  const char* value = nullptr;  ///< Of a flag that takes none.
  const char* type = "TEXT";    ///< Of the value, in the help.
};
constexpr Flag kFlags[] = {
    {"--revision", "revision", "Branch, tag or commit of the repository"},
    {"--variant", "variant", "Which ONNX files: fp32, fp16, q8, q4, ..."},
    {"--cache-dir", "cache_dir", "The hub cache; by default the one of huggingface_hub"},
    {"--offline", "offline", "Use only files that are in the cache", "true"},
    {"--backend", "backend", "Execution provider: cpu, cuda, openvino, webgpu, ..."},
    {"--threads", "threads", "Threads for model runs; 0 is the number of cores", nullptr, "INT"},
    {"--batch-size", "compile.batch_size", "The most rows of one model run", nullptr, "INT"},
};
using Names = std::initializer_list<std::string_view>;

// An unset variable of a script must not become the default.
std::string not_empty(const std::string& text) { return text.empty() ? "must not be empty" : ""; }

void add_flags(CLI::App& command, Texts& settings, Names names) {
  for (const Flag& flag : kFlags) {
    if (std::ranges::find(names, flag.name) == names.end()) continue;
    const auto set = [&settings, key = std::string(flag.key)](const std::string& value) {
      settings.push_back(fmt::format("{}={}", key, value));
    };
    if (flag.value != nullptr) {
      command.add_flag_callback(flag.name, [set, value = std::string(flag.value)] { set(value); }, flag.help);
    } else {
      command.add_option_function<std::string>(flag.name, set, flag.help)->check(not_empty)->type_name(flag.type);
    }
  }
}

/// A command of the program and what it does once its arguments are known.
struct Command {
  CLI::App* app;
  std::function<void()> action;
  const bool* json;
};

Command add_run(CLI::App& app, RunArguments& run) {
  auto* command = app.add_subcommand("run", "Run a task on texts, files, or lines of standard input");
  command->set_help_flag("");
  command->add_flag("-h,--help", run.help, "This help; after a task, the options of that task");
  command->add_option("task", run.task, "A task, as text-embedding");
  command->add_option("input", run.inputs,
                      "Texts or file paths, after -- also what begins with -; without any, or with - alone, each line "
                      "of standard input is one input");
  command
      ->add_option("-m,--model", run.model, "A repository of the hub (owner/name, owner/name@revision) or a directory")
      ->check(not_empty);
  add_flags(*command, run.settings,
            {"--revision", "--variant", "--cache-dir", "--offline", "--backend", "--threads", "--batch-size"});
  command
      ->add_option_function<Texts>(
          "--set", [&run](const Texts& given) { run.settings.insert(run.settings.end(), given.begin(), given.end()); },
          "An option of the task: key=value, as top_k=3 or compile.batch_size=8; the options above are short forms")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--request", run.request, "A JSON request from a file, or - for standard input")
      ->check(not_empty);
  command->add_option("--save", run.save, "Write tensors as .npy files into this folder")->check(not_empty);
  command->add_flag(
      "--json", run.json,
      "Print one JSON object (for lines of standard input one a line) and nothing else on standard output");
  command->footer(
      "A request: {\"options\": {\"top_k\": 3}, \"inputs\": [...]}. The answer: {\"results\": [one per input]}.\n"
      "transmuter run TASK --help lists the options and the input of a task.");
  const auto action = [&run, command] {
    if (run.help && run.task.empty()) {
      print(command->help("transmuter"));
      print_tasks();
    } else {
      cli::run(run);
    }
  };
  return {command, action, &run.json};
}

Command add_inspect(CLI::App& app, InspectArguments& inspect) {
  auto* command = app.add_subcommand("inspect", "Run one stage alone: tokenize, graph");
  command->add_option("part", inspect.part, "tokenize or graph")->required();
  command->add_option("--request", inspect.request, "A JSON request from a file, or - for standard input")->required();
  command->add_option("--save", inspect.save, "Write tensors as .npy files into this folder");
  command->add_flag("--json", inspect.json, "Print JSON (the only form)");
  command->footer(
      "tokenize: {\"model\", \"text\", \"text_pair\"?, \"add_special_tokens\"?, \"max_length\"?}\n"
      "graph:    {\"model\", \"file\"?}");
  static constexpr bool kAlways = true;
  return {command, [&inspect] { cli::inspect(inspect); }, &kAlways};
}

Command add_pull(CLI::App& app, RepositoryArguments& pull) {
  auto* command = app.add_subcommand("pull", "Fetch a model from the hub, so that it runs offline");
  command->add_option("repository", pull.repository, "owner/name or owner/name@revision")->required();
  add_flags(*command, pull.settings, {"--revision", "--variant", "--cache-dir"});
  command->add_option("--file", pull.files, "Fetch this file only; may be given again")
      ->allow_extra_args(false)
      ->take_all();
  command->add_flag("--all", pull.all, "Fetch all files, not only what the tasks need");
  command->add_flag("--json", pull.json, "Print one JSON object");
  command->footer(
      "Without --file and --all it fetches the configuration, the tokenizer, the chosen ONNX files with their "
      "external\n"
      "data, and the sentence-transformers files, also those of the base model.\n"
      "JSON: {\"repository\", \"files\": [{\"file\", \"size\", \"path\"}]}, all files that are on this disk now.");
  return {command, [&pull] { cli::pull(pull); }, &pull.json};
}

Command add_list(CLI::App& app, RepositoryArguments& list) {
  auto* command = app.add_subcommand("list", "List the models in the hub cache");
  command->alias("ls");
  add_flags(*command, list.settings, {"--cache-dir"});
  command->add_flag("--json", list.json, "Print one JSON object");
  command->footer(
      "JSON: {\"cache\", \"repositories\": [{\"repository\", \"size\", \"path\", \"revisions\": [{\"commit\", "
      "\"refs\", "
      "\"files\"}]}]}\nSizes are bytes on the disk.");
  return {command, [&list] { cli::list(list); }, &list.json};
}

Command add_show(CLI::App& app, RepositoryArguments& show) {
  auto* command = app.add_subcommand("show", "Show the tasks of a model, its variants, inputs and outputs");
  command->add_option("repository", show.repository, "owner/name, owner/name@revision or a directory")->required();
  add_flags(*command, show.settings, {"--revision", "--cache-dir", "--offline"});
  command->add_flag("--json", show.json, "Print one JSON object");
  command->footer(
      "JSON: {\"repository\", \"tasks\": [...], \"models\": [{\"name\", \"files\": [{\"variant\", \"file\", \"size\", "
      "\"on_disk\", \"chosen\"}], \"inputs\": [{\"name\", \"type\", \"shape\"}], \"outputs\"}]}\n"
      "Inputs and outputs are null for a graph that is not on this disk and too large to fetch it for that.");
  return {command, [&show] { cli::show(show); }, &show.json};
}

Command add_rm(CLI::App& app, RepositoryArguments& remove) {
  auto* command = app.add_subcommand("rm", "Remove a model from the hub cache, with all its revisions");
  command->add_option("repository", remove.repository, "owner/name")->required();
  add_flags(*command, remove.settings, {"--cache-dir"});
  command->add_flag("--json", remove.json, "Print one JSON object");
  command->footer("It does not ask. JSON: {\"repository\", \"freed\"}, in bytes.");
  return {command, [&remove] { cli::remove(remove); }, &remove.json};
}

int exit_status(ErrorCode code) { return code == ErrorCode::InvalidInput ? 2 : 1; }

// One line for people on standard error, and with --json one object for programs on standard output.
int report(const Error& error, bool json) {
  constexpr std::size_t kLongest = 2000;
  std::string line = error.what();
  if (line.size() > kLongest) line = std::string(first_code_points(line, kLongest)) + " …";
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  const std::string kind(name(error.code()));
  std::fprintf(stderr, "transmuter: %s: %s\n", kind.c_str(), line.c_str());
  if (json) {
    const Json answer = Json::object({{"error", Json::object({{"kind", kind}, {"message", line}})}});
    std::printf("%s\n", answer.dump().c_str());
  }
  return exit_status(error.code());
}

int guarded(const std::function<void()>& action, bool json) {
  try {
    action();
    flush();
    return 0;
  } catch (const Error& error) {
    return report(error, json);
  } catch (const std::bad_alloc&) {
    return report(Error(ErrorCode::Unavailable, "out of memory: give fewer or smaller inputs, or a smaller batch_size"),
                  json);
  } catch (const std::exception& error) {
    return report(Error(ErrorCode::Internal, error.what()), json);
  }
}

std::string did_you_mean(const std::string& word, const Texts& known) {
  const auto near = nearest(word, known);
  return near ? "; did you mean " + *near + "?" : "";
}

const CLI::App* command_of(const CLI::App& app, const Texts& arguments) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!arguments.empty() && command->check_name(arguments.front())) return command;
  }
  return nullptr;
}

/// What is wrong with arguments that CLI11 refuses, with the nearest known word for an unknown one.
std::string fault_of(const CLI::App& app, const CLI::ParseError& error, const Texts& arguments) {
  Texts commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  const CLI::App* given = command_of(app, arguments);
  if (arguments.empty()) return fmt::format("name a command: {}", fmt::join(commands, ", "));
  if (given == nullptr && !arguments.front().starts_with('-')) {
    return "there is no command \"" + arguments.front() + "\"" + did_you_mean(arguments.front(), commands);
  }
  const Texts extra = app.remaining(true);
  if (given == nullptr || extra.empty()) return error.what();
  Texts options;
  for (const CLI::Option* option : given->get_options()) options.push_back(option->get_name());
  return given->get_name() + ": there is no \"" + extra.front() + "\"" + did_you_mean(extra.front(), options);
}

// CLI11 splits an argument in brackets into several; a mark in front of it keeps it whole.
constexpr char kWhole = '\x1f';

Texts marked(int argc, char** argv) {
  Texts arguments(argv + 1, argv + argc);
  for (std::string& argument : arguments) {
    if (argument.starts_with('[')) argument.insert(argument.begin(), kWhole);
  }
  std::ranges::reverse(arguments);  // as CLI11 takes them
  return arguments;
}

void unmark(std::string& text) {
  if (text.starts_with(kWhole)) text.erase(0, 1);
}

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a hub that closes a connection must not end the program
  CLI::App app("Runs Hugging Face ONNX repositories as ready tasks.", "transmuter");
  app.set_version_flag("--version", "transmuter " TRANSMUTER_VERSION);
  app.require_subcommand(1);
  app.footer("transmuter run --help lists the tasks; transmuter run TASK --help lists a task's options.");
  RunArguments run;
  InspectArguments inspect;
  RepositoryArguments repository;
  const Command commands[] = {add_run(app, run),         add_inspect(app, inspect), add_pull(app, repository),
                              add_list(app, repository), add_show(app, repository), add_rm(app, repository)};
  const Texts arguments(argv + 1, argv + argc);
  try {
    app.parse(marked(argc, argv));
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    app.exit(success, text);
    return guarded([&] { print(text.str()); }, false);
  } catch (const CLI::ParseError& error) {
    const bool json = std::ranges::find(arguments, "--json") != arguments.end();
    const CLI::App* command = command_of(app, arguments);
    return report(
        Error(ErrorCode::InvalidInput, fmt::format("{} (transmuter {}--help)", fault_of(app, error, arguments),
                                                   command == nullptr ? "" : command->get_name() + " ")),
        json);
  }
  std::ranges::for_each(run.inputs, unmark);
  for (std::string* text : {&run.task, &run.model, &inspect.part, &repository.repository}) unmark(*text);
  if (run.inputs == Texts{"-"} && std::ranges::find(arguments, "--") == arguments.end()) {
    run.inputs.clear();
    run.lines = true;
  }
  const auto given = std::ranges::find_if(commands, [](const Command& command) { return command.app->parsed(); });
  return guarded(given->action, *given->json);
}

}  // namespace
}  // namespace transmuter::cli

int main(int argc, char** argv) { return transmuter::cli::main(argc, argv); }
