#include "hub/model_card.hpp"

#include <algorithm>
#include <ranges>

#include "hub/names.hpp"

namespace transmuter {
namespace {

constexpr std::string_view kKey = "base_model:";
constexpr std::string_view kSpace = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kSpace);
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// A YAML scalar without its comment and quotes.
std::string_view scalar(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && (text.front() == '"' || text.front() == '\'')) {
    return text.substr(1, text.find(text.front(), 1) - 1);
  }
  if (text.starts_with('#')) return {};
  return trimmed(text.substr(0, text.find(" #")));
}

/// Leaves out what is no repository: there is nothing to load from it.
void add(std::vector<std::string>& models, std::string_view name) {
  if (repo_id_fault(name).empty()) models.emplace_back(name);
}

void add_flow_list(std::vector<std::string>& models, std::string_view list) {
  list = list.substr(1, list.find(']') - 1);
  for (const auto item : std::views::split(list, ',')) add(models, scalar({item.begin(), item.end()}));
}

std::vector<std::string_view> front_matter(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string_view> lines;
  for (const auto part : std::views::split(text, '\n')) {
    std::string_view line(part.begin(), part.end());
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool is_fence = trimmed(line) == "---";
    if (lines.empty() && !is_fence) return {};
    if (!lines.empty() && is_fence) return lines;
    lines.push_back(line);
  }
  return {};
}

}  // namespace

std::vector<std::string> base_models_of_card(const Json& card) {
  std::vector<std::string> models;
  const auto value = card.is_object() ? card.find("base_model") : std::nullopt;
  if (!value) return models;
  for (const Json& name : value->is_array() ? value->elements() : std::vector<Json>{*value}) {
    if (name.is_string()) add(models, name.as<std::string>());
  }
  return models;
}

std::vector<std::string> base_models_of_readme(std::string_view text) {
  const auto lines = front_matter(text);
  const auto key = std::ranges::find_if(lines, [](std::string_view line) { return line.starts_with(kKey); });
  std::vector<std::string> models;
  if (key == lines.end()) return models;
  const std::string_view value = trimmed(key->substr(kKey.size()));
  if (value.starts_with('[')) {
    std::string list;  // it may go over several lines
    for (auto line = key; line != lines.end() && list.find(']') == std::string::npos; ++line) {
      list += trimmed(line == key ? value : *line);
    }
    add_flow_list(models, list);
  } else if (!scalar(value).empty()) {
    add(models, scalar(value));
  } else {
    for (auto line = key + 1; line != lines.end(); ++line) {
      const std::string_view item = trimmed(*line);
      if (item.empty() || item.starts_with('#')) continue;
      if (!item.starts_with("- ")) break;
      add(models, scalar(item.substr(2)));
    }
  }
  return models;
}

}  // namespace transmuter
