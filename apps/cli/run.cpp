#include <cstdio>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <string>
#include <unistd.h>

#include "base/utf8.hpp"
#include "cli/commands.hpp"
#include "cli/request.hpp"
#include "cli/show.hpp"
#include "tasks/registry.hpp"
#include "tensor/npy.hpp"

namespace transmuter::cli {
namespace {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

/// Writes the tensors of input number `index` into a folder; the result names the file.
class NpyWriter final : public TensorWriter {
 public:
  NpyWriter(std::string folder, std::size_t index) : folder_(std::move(folder)), index_(index) {}

  Json write(std::string_view field, const FloatTensor& tensor) const override {
    const std::string path = fmt::format("{}/{}-{}.npy", folder_, index_, field);
    write_npy(path, tensor);
    std::vector<Json> shape(tensor.shape.begin(), tensor.shape.end());
    return Json::object({{"npy", path}, {"shape", Json::array(shape)}, {"dtype", "float32"}});
  }

 private:
  std::string folder_;
  std::size_t index_;
};

Json json_of(const AnyResult& result, std::size_t index, const RunArguments& arguments) {
  if (arguments.save.empty()) return result.json(TensorWriter());
  return result.json(NpyWriter(arguments.save, index));
}

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
  if (!task.inputs.empty()) table("An input is a text, or an object in a request or a line", task.inputs);
  table("Options (--set key=value, or \"options\" of a request)", task.options);
  text += fmt::format("\nWithout -m it uses {}.\n",
                      task.default_repository.empty() ? "the built-in model" : task.default_repository);
  print(text);
}

std::unique_ptr<AnyServing> open(const Task& task, const RunArguments& arguments, const Json& options) {
  if (!arguments.model.empty()) return task.open(source_of(arguments.model), options, {});
  if (task.default_repository.empty()) {
    fmt::print(stderr, "{}: using the built-in model all-MiniLM-L6-v2 (4-bit weights); -m names another one\n",
               command_name(task));
    return task.open(builtin_model(), options, {});
  }
  fmt::print(stderr, "{}: using {}; -m names another model\n", command_name(task), task.default_repository);
  return task.open(hf(task.default_repository), options, {});
}

/// Standard input, a line at a time, with many lines on their way at once; the results come in the order of the lines.
class Lines {
 public:
  Lines(const Task& task, const AnyServing& serving, const RunArguments& arguments)
      : arguments_(arguments), objects_(!task.inputs.empty()), batched_(serving.start({.max_queued_rows = 0})) {}

  void run() {
    std::string line;
    while (std::getline(std::cin, line)) {
      if (line.ends_with('\r')) line.pop_back();
      const std::size_t number = ++read_;
      Json input = within(fmt::format("line {}", number), [&] { return input_of(line); });
      auto pending = within(fmt::format("line {}", number), [&] { return batched_->submit(input); });
      on_their_way_.push_back({std::move(input), std::move(pending)});
      constexpr std::size_t kMost = 1024;
      if (on_their_way_.size() >= kMost) print_next();
    }
    while (!on_their_way_.empty()) print_next();
  }

 private:
  struct Sent {
    Json input;
    std::unique_ptr<AnyBatched::Pending> result;
  };

  // A line of a task whose inputs are objects may be one; every other line is a text.
  Json input_of(const std::string& line) const {
    if (objects_ && line.starts_with('{')) return Json::parse(line, "input", ErrorCode::InvalidInput);
    return line;
  }

  void print_next() {
    Sent sent = std::move(on_their_way_.front());
    on_their_way_.pop_front();
    const std::size_t number = ++printed_;
    const auto result = within(fmt::format("line {}", number), [&] { return sent.result->get(); });
    const Json json = json_of(*result, number - 1, arguments_);
    const bool for_people = !arguments_.json && isatty(STDOUT_FILENO) == 1;
    print(for_people ? readable({sent.input}, {json}) : json.dump() + '\n');
    if (std::ferror(stdout) != 0) fail(ErrorCode::Unavailable, "standard output cannot be written");
  }

  const RunArguments& arguments_;
  const bool objects_;
  std::unique_ptr<AnyBatched> batched_;
  std::deque<Sent> on_their_way_;
  std::size_t read_ = 0;
  std::size_t printed_ = 0;
};

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
  if (!arguments.request.empty() && !arguments.inputs.empty()) {
    fail(ErrorCode::InvalidInput, "give inputs in the request or on the command line, not both");
  }
  if (!arguments.save.empty()) make_folder(arguments.save);

  Json options = options_of(arguments.settings, task.options);
  std::vector<Json> inputs(arguments.inputs.begin(), arguments.inputs.end());
  if (!arguments.request.empty()) {
    const Request request = read_request(arguments.request);
    options = arguments.settings.empty() ? request.options : merged(request.options, options);
    inputs = request.inputs;
  } else if (inputs.empty()) {
    if (isatty(STDIN_FILENO) == 1)
      fail(ErrorCode::InvalidInput, "give an input, or lines on standard input (transmuter run {} --help)",
           arguments.task);
    const auto serving = open(task, arguments, options);
    return Lines(task, *serving, arguments).run();
  }

  const auto serving = open(task, arguments, options);
  std::vector<Json> results;
  for (const auto& result : serving->run(inputs)) results.push_back(json_of(*result, results.size(), arguments));
  if (arguments.json) {
    print(Json::object({{"results", Json::array(results)}}).dump() + '\n');
  } else if (arguments.request.empty()) {
    print(readable(inputs, results));
  } else {
    print(Json::object({{"results", Json::array(results)}}).dump(2) + '\n');
  }
}

}  // namespace transmuter::cli
