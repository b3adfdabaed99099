#pragma once

#include <string>
#include <vector>

#include "base/describe.hpp"
#include "base/json.hpp"
#include "tasks/registry.hpp"

namespace transmuter::cli {

/// All of a file, or of standard input for "-". Throws NotFound.
std::string read_all(const std::string& file);

/// A request of `--request`: {"options": {...}, "inputs": [...]}. Throws InvalidInput.
struct Request {
  Json options;
  std::vector<Json> inputs;
};
Request read_request(const std::string& file);

/// An input of a task that takes no text alone, from an argument or a line. Throws InvalidInput unless it is JSON.
Json object_input(const Task& task, const std::string& text);

/// Options from "key=value" settings; a value is JSON where the option is not a text, and a dot goes one object deeper.
Json options_of(const std::vector<std::string>& settings, const std::vector<FieldHelp>& known);

/// How to load a repository, from settings of the same form.
LoadOptions load_options(const std::vector<std::string>& settings);

/// The members of both; those of `over` win.
Json merged(const Json& under, const Json& over);

}  // namespace transmuter::cli
