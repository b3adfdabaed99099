#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace transmuter::testing {

/// How the program is called.
struct Call {
  std::vector<std::string> arguments;
  std::string input = {};           ///< Of standard input.
  std::string input_file = {};      ///< Standard input itself, instead.
  std::string output_file = {};     ///< Takes standard output.
  std::size_t read_at_most = ~0UL;  ///< Closes standard output after so many bytes.
  bool errors_to_terminal = false;  ///< Standard error is a terminal of 100 columns.
  std::map<std::string, std::string> environment = {};
  std::string folder = {};   ///< Where it is called; empty: here.
  std::string program = {};  ///< Empty: the program that was built.
};

/// What became of it.
struct Outcome {
  int status = -1;  ///< -1 when a signal ended it.
  int signal = 0;
  std::string output;
  std::string errors;
  long peak_kilobytes = 0;

  /// Standard output as one JSON value.
  Json json() const;
  /// Standard output, line by line.
  std::vector<std::string> lines() const;
};

/// Runs the program to its end. It never sees a hub but the one that `environment` names.
Outcome run_program(const Call& call);
Outcome call_program(std::vector<std::string> arguments);

/// A program that runs while the test talks to it, over pipes.
class Conversation {
 public:
  explicit Conversation(const Call& call);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void write(const std::string& text) const;
  /// The next line of standard output; waits for it.
  std::string read_line();
  /// Sends a signal; all that standard output still gives.
  std::string stop(int signal);
  /// Ends standard input and waits for the program's end; its status.
  int close();

 private:
  int process_ = -1;
  int input_ = -1;
  int output_ = -1;
};

/// A folder below tests/.
std::string test_folder(const std::string& path);

}  // namespace transmuter::testing
