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
  bool lines = false;                 ///< Lines of standard input are asked for, even of a terminal.
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

/// `transmuter pull`, `list`, `show` and `rm`
struct RepositoryArguments {
  std::string repository;             ///< "owner/name", "owner/name@revision"; for show also a directory.
  std::vector<std::string> settings;  ///< Load options: "key=value"
  std::vector<std::string> files;     ///< To pull; empty: what the tasks need.
  bool all = false;                   ///< Pull everything.
  bool json = false;
};
void pull(const RepositoryArguments& arguments);
void list(const RepositoryArguments& arguments);
void show(const RepositoryArguments& arguments);
void remove(const RepositoryArguments& arguments);

}  // namespace transmuter::cli
