#pragma once

#include <string>
#include <vector>

namespace transmuter::cli {

/// `transmuter run`
struct RunArguments {
  std::string task;
  std::string model;                  ///< Empty: the task's default.
  std::vector<std::string> inputs;    ///< Empty: lines of standard input.
  std::vector<std::string> settings;  ///< "key=value"
  std::string request;                ///< A file, or - for standard input; empty: none.
  std::string save;                   ///< A folder for tensors; empty: none.
  bool json = false;
  bool help = false;
};
void run(const RunArguments& arguments);
void print_tasks();

/// `transmuter inspect`
struct InspectArguments {
  std::string part;
  std::string request;
  std::string save;
  bool json = false;
};
void inspect(const InspectArguments& arguments);

}  // namespace transmuter::cli
