#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace transmuter {

/// The repositories that `base_model` of a model card names, from its metadata as the hub gives it: a string or a list.
/// What is no repository id (a local folder, a number) is left out.
std::vector<std::string> base_models_of_card(const Json& card);

/// The same from the text of README.md, whose first lines between "---" are YAML. Reads the forms that the hub's editor
/// and huggingface_hub write: `base_model: x`, `base_model: [x, y]` and a list of "- x" lines, with or without quotes
/// and comments.
std::vector<std::string> base_models_of_readme(std::string_view text);

}  // namespace transmuter
