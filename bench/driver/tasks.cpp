// Runs a task of Transmuter for bench/tasks.py: loads a model, then obeys one command a line on standard input and
// answers each with one line of JSON on standard output. bench/peers/tasks_* speak the same protocol.
//
//   list FILE        all inputs (lines of JSON) in one call        {"seconds": [total]}
//   one FILE         one call an input, one after the other        {"seconds": [of each call]}
//   write FILE OUT   the results as lines of JSON                  {"seconds": [total]}

#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tasks/registry.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using transmuter::Json;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<Json> read_inputs(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<Json> inputs;
  for (std::string line; std::getline(file, line);) inputs.push_back(Json::parse(line, "input"));
  return inputs;
}

void answer(const std::vector<double>& seconds) {
  std::ostringstream line;
  line << "{\"seconds\": [";
  for (std::size_t i = 0; i < seconds.size(); ++i) line << (i == 0 ? "" : ", ") << seconds[i];
  std::cout << line.str() << "]}" << std::endl;
}

void obey(const transmuter::AnyServing& serving, const std::string& line) {
  std::istringstream words(line);
  std::string command;
  std::string file;
  words >> command >> file;
  const auto inputs = read_inputs(file);
  std::vector<double> seconds;
  if (command == "one") {
    for (const Json& input : inputs) {
      const auto start = Clock::now();
      serving.run(input);
      seconds.push_back(seconds_since(start));
    }
    return answer(seconds);
  }
  if (command != "list" && command != "write") throw std::runtime_error("unknown command \"" + command + "\"");
  const auto start = Clock::now();
  const auto results = serving.run(inputs);
  seconds.push_back(seconds_since(start));
  if (std::string path; words >> path) {
    std::ofstream out(path);
    for (const auto& result : results) out << result->json(transmuter::TensorWriter()).dump() << '\n';
    if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
  }
  answer(seconds);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: bench_tasks TASK MODEL OPTIONS\n";
    return 2;
  }
  try {
    const auto start = Clock::now();
    const auto serving = transmuter::find_task(arguments[1])
                             .open(transmuter::dir(arguments[2]), Json::parse(arguments[3], "options"), {});
    answer({seconds_since(start)});
    for (std::string line; std::getline(std::cin, line);) obey(*serving, line);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
