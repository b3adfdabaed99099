// Runs Transmuter for bench/run.py: loads a model, then obeys one command a line on standard input and answers each
// with one line of JSON on standard output. bench/peers/ speak the same protocol.
//
//   list CORPUS        all texts in one call                    {"seconds": [total]}
//   one CORPUS         one call a text, one after the other     {"seconds": [of each call]}
//   started CORPUS N   N callers with one text at a time each   {"seconds": [total]}
//   write CORPUS FILE  embeddings as float32                    {"seconds": [total]}

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <fstream>
#include <iostream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "transmuter/transmuter.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Embedder = transmuter::Serving<std::string, transmuter::Embedding>;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

double run_list(const Embedder& serving, const std::vector<std::string>& texts) {
  const auto start = Clock::now();
  serving.run(std::span(texts));
  return seconds_since(start);
}

std::vector<double> run_one_by_one(const Embedder& serving, const std::vector<std::string>& texts) {
  std::vector<double> seconds;
  for (const std::string& text : texts) {
    const auto start = Clock::now();
    serving.run(text);
    seconds.push_back(seconds_since(start));
  }
  return seconds;
}

double run_started(const Embedder& serving, const std::vector<std::string>& texts, std::size_t callers) {
  const auto batched = serving.start();
  std::atomic<std::size_t> next = 0;
  const auto start = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (std::size_t caller = 0; caller < callers; ++caller) {
      threads.emplace_back([&] {
        for (std::size_t i = next++; i < texts.size(); i = next++) batched.run(texts[i]);
      });
    }
  }
  return seconds_since(start);
}

double write_embeddings(const Embedder& serving, const std::vector<std::string>& texts, const std::string& path) {
  const auto start = Clock::now();
  std::ofstream file(path, std::ios::binary);
  for (const auto& result : serving.run(std::span(texts))) {
    const auto bytes = std::as_bytes(std::span(result.embedding.values));
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
  return seconds_since(start);
}

void answer(const std::vector<double>& seconds) {
  std::ostringstream line;
  line << "{\"seconds\": [";
  for (std::size_t i = 0; i < seconds.size(); ++i) line << (i == 0 ? "" : ", ") << seconds[i];
  std::cout << line.str() << "]}" << std::endl;
}

void obey(const Embedder& serving, const std::string& line) {
  std::istringstream words(line);
  std::string command;
  std::string corpus;
  words >> command >> corpus;
  const auto texts = read_lines(corpus);
  if (command == "list") {
    answer({run_list(serving, texts)});
  } else if (command == "one") {
    answer(run_one_by_one(serving, texts));
  } else if (command == "started") {
    std::size_t callers = 1;
    words >> callers;
    answer({run_started(serving, texts, callers)});
  } else if (command == "write") {
    std::string path;
    words >> path;
    answer({write_embeddings(serving, texts, path)});
  } else {
    throw std::runtime_error("unknown command \"" + command + "\"");
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: bench_driver MODEL VARIANT\n";
    return 2;
  }
  try {
    const auto start = Clock::now();
    transmuter::TextEmbeddingOptions options;
    options.load.variant = arguments[2];
    const auto serving = transmuter::text::text_embedding(transmuter::dir(arguments[1]), options);
    answer({seconds_since(start)});
    for (std::string line; std::getline(std::cin, line);) obey(serving, line);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
