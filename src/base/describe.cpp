#include "base/describe.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

#include "base/edit_distance.hpp"
#include "base/utf8.hpp"

namespace transmuter {
namespace {

void flatten(const Json& json, std::vector<float>& values, std::vector<std::int64_t>& shape, std::size_t depth) {
  if (!json.is_array()) {
    if (depth != shape.size()) json.fail_here("the lists of a tensor must have equal lengths");
    values.push_back(json.as<float>());
    return;
  }
  const auto elements = json.elements();
  const auto size = static_cast<std::int64_t>(elements.size());
  if (depth == shape.size() && values.empty()) shape.push_back(size);
  if (depth >= shape.size() || shape[depth] != size) json.fail_here("the lists of a tensor must have equal lengths");
  for (const Json& element : elements) flatten(element, values, shape, depth + 1);
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known) {
  if (name.size() > 100) return std::nullopt;
  const auto best =
      std::ranges::min_element(known, {}, [&](const std::string& each) { return edit_distance(name, each); });
  if (best == known.end() || edit_distance(name, *best) > std::max<std::size_t>(2, best->size() / 3))
    return std::nullopt;
  return *best;
}

void fail_unknown(const Json& object, std::string_view kind, std::string_view name,
                  const std::vector<std::string>& known) {
  if (const auto near = nearest(name, known)) {
    object.fail_here(fmt::format("unknown {} \"{}\"; did you mean \"{}\"?", kind, name, *near));
  }
  object.fail_here(fmt::format("unknown {} \"{}\"; known are {}", kind, name, fmt::join(known, ", ")));
}

void from_json(const Json& json, FloatTensor& value) {
  value = {};
  flatten(json, value.values, value.shape, 0);
}

void from_json(const Json& json, Variant& value) {
  if (json.is_string()) {
    value = Variant(json.as<std::string>());
    return;
  }
  if (!json.is_object()) json.fail_here("must be a text or an object");
  value = Variant();
  for (const auto& [file, name] : json.members()) value.by_file[file] = name.as<std::string>();
}

// Parity: transformers 4.57 ZeroShotClassificationArgumentHandler._parse_labels: a text is split at its commas.
void from_json(const Json& json, CandidateLabels& value) {
  if (!json.is_string()) {
    value.names = json.as<std::vector<std::string>>();
    return;
  }
  value.names.clear();
  const auto text = json.as<std::string>();
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string_view label = stripped(std::string_view(text).substr(start, end - start));
    if (!label.empty()) value.names.emplace_back(label);
    start = end + 1;
  }
}

void from_json(const Json& json, std::vector<std::int64_t>& value) {
  value = json.is_array() ? json.as<std::vector<std::int64_t>>() : std::vector{json.as<std::int64_t>()};
}

void from_json(const Json& json, std::vector<std::string>& value) {
  value = json.is_array() ? json.as<std::vector<std::string>>() : std::vector{json.as<std::string>()};
}

Json TensorWriter::write(std::string_view, const FloatTensor& tensor) const {
  return Json::nested(std::span<const float>(tensor.values), tensor.shape);
}

}  // namespace transmuter
