#include "repository/chat_templates.hpp"

namespace transmuter {
namespace {

constexpr std::string_view kFolder = "additional_chat_templates/";
constexpr std::string_view kEnding = ".jinja";

}  // namespace

NamedTemplates read_chat_templates(const Repository& repository) {
  NamedTemplates templates;
  if (const auto source = repository.find_text("chat_template.jinja")) templates.emplace_back("default", *source);
  for (const std::string& file : repository.files()) {
    if (!file.starts_with(kFolder) || !file.ends_with(kEnding)) continue;
    const std::string name = file.substr(kFolder.size(), file.size() - kFolder.size() - kEnding.size());
    templates.emplace_back(name, repository.text(file));
  }
  if (!templates.empty()) return templates;
  const auto config = repository.find_json("tokenizer_config.json");
  return config ? templates_of(*config) : templates;
}

}  // namespace transmuter
