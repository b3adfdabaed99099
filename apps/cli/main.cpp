#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "transmuter/error.hpp"

namespace {

using transmuter::Error;
using transmuter::ErrorCode;
using transmuter::Json;

int exit_status(ErrorCode code) { return code == ErrorCode::InvalidInput ? 2 : 1; }

// One line for people on standard error, and with --json one object for programs on standard output.
int report(const Error& error, bool json) {
  std::string line = error.what();
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  const std::string kind(transmuter::name(error.code()));
  std::fprintf(stderr, "transmuter: %s: %s\n", kind.c_str(), line.c_str());
  if (json) {
    const Json answer = Json::object({{"error", Json::object({{"kind", kind}, {"message", line}})}});
    std::printf("%s\n", answer.dump().c_str());
  }
  return exit_status(error.code());
}

int guarded(const auto& action, bool json) {
  try {
    action();
    return std::fflush(stdout) == 0 ? 0
                                    : report(Error(ErrorCode::Unavailable, "standard output cannot be written"), json);
  } catch (const Error& error) {
    return report(error, json);
  } catch (const std::bad_alloc&) {
    return report(Error(ErrorCode::Unavailable, "out of memory: give fewer or smaller inputs, or a smaller batch_size"),
                  json);
  } catch (const std::exception& error) {
    return report(Error(ErrorCode::Internal, error.what()), json);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs Hugging Face ONNX repositories as ready tasks.", "transmuter");
  app.set_version_flag("--version", "transmuter " TRANSMUTER_VERSION);
  app.require_subcommand(1);
  app.footer("transmuter run --help lists the tasks; transmuter run TASK --help lists a task's options.");

  transmuter::cli::RunArguments run;
  auto* run_command = app.add_subcommand("run", "Run a task on texts, files, or lines of standard input");
  run_command->set_help_flag("");
  run_command->add_flag("-h,--help", run.help, "This help; after a task, the options of that task");
  run_command->add_option("task", run.task, "A task, as text-embedding");
  run_command->add_option("input", run.inputs,
                          "Texts or file paths; without any, each line of standard input is one input");
  run_command->add_option("-m,--model", run.model,
                          "A repository of the hub (owner/name, owner/name@revision) or a directory");
  run_command->add_option("--set", run.settings, "An option of the task: key=value, as top_k=3 or compile.batch_size=8")
      ->take_all();
  run_command->add_option("--request", run.request, "A JSON request from a file, or - for standard input");
  run_command->add_option("--save", run.save, "Write tensors as .npy files into this folder");
  run_command->add_flag("--json", run.json, "Print one JSON object and nothing else on standard output");

  transmuter::cli::InspectArguments inspect;
  auto* inspect_command = app.add_subcommand("inspect", "Run one stage alone: tokenize, graph");
  inspect_command->add_option("part", inspect.part, "tokenize or graph")->required();
  inspect_command->add_option("--request", inspect.request, "A JSON request from a file, or - for standard input")
      ->required();
  inspect_command->add_option("--save", inspect.save, "Write tensors as .npy files into this folder");
  inspect_command->add_flag("--json", inspect.json, "Print JSON (the only form)");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    bool json = false;
    for (int i = 1; i < argc; ++i) json = json || std::string(argv[i]) == "--json";
    return report(Error(ErrorCode::InvalidInput, std::string(error.what()) + " (transmuter --help)"), json);
  }

  if (run_command->parsed()) {
    if (run.help && run.task.empty()) {
      std::fputs(run_command->help().c_str(), stdout);
      return guarded([] { transmuter::cli::print_tasks(); }, false);
    }
    return guarded([&] { transmuter::cli::run(run); }, run.json);
  }
  return guarded([&] { transmuter::cli::inspect(inspect); }, true);
}
