#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json.hpp"
#include "transmuter/results.hpp"
#include "transmuter/source.hpp"
#include "transmuter/text.hpp"

// One `describe` function beside a public struct names its fields once; here it becomes the strict parser of a request,
// the writer of a result, and the list that --help prints.

namespace transmuter {

/// One line of --help.
struct FieldHelp {
  std::string name;  ///< "compile.batch_size"
  std::string type;  ///< "integer", "true or false", "mean_pooling|cls_token_pooling|..."
  std::string description;
};

/// The known name that is nearest to a misspelt one by edit distance, or nothing when none is near.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known);

/// "unknown option "topk"; did you mean "top_k"?", thrown at the value's path.
[[noreturn]] void fail_unknown(const Json& object, std::string_view kind, std::string_view name,
                               const std::vector<std::string>& known);

template <class T>
concept Described = requires(T& value) { describe(value, [](std::string_view, auto&, std::string_view) {}); };

template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) { names(value); };

template <NamedEnum T>
std::string_view name(T value) {
  for (const auto& [text, each] : names(T{})) {
    if (each == value) return text;
  }
  fail(ErrorCode::Internal, "an enumerator without a name");
}

// ---- from JSON ----

void from_json(const Json& json, FloatTensor& value);
void from_json(const Json& json, Variant& value);
void from_json(const Json& json, CandidateLabels& value);
void from_json(const Json& json, std::vector<std::int64_t>& value);  ///< One integer is a list of one.
void from_json(const Json& json, std::vector<std::string>& value);   ///< One text is a list of one.

template <class T>
  requires requires(const Json& json) { json.as<T>(); } && (!std::is_enum_v<T>) && (!Described<T>)
void from_json(const Json& json, T& value) {
  value = json.as<T>();
}

template <NamedEnum T>
void from_json(const Json& json, T& value) {
  const auto text = json.as<std::string>();
  std::string all;
  for (const auto& [known, each] : names(T{})) {
    if (known == text) {
      value = each;
      return;
    }
    all += (all.empty() ? "" : ", ") + std::string(known);
  }
  json.fail_here(fmt::format("\"{}\" is none of {}", text, all));
}

template <Described T>
void from_json(const Json& json, T& value);

template <class T>
void from_json(const Json& json, std::optional<T>& value) {
  T given{};
  from_json(json, given);
  value = std::move(given);
}

/// A null leaves the default; an unknown key is an error that names the nearest known one.
template <Described T>
void from_json(const Json& json, T& value) {
  const auto members = json.members();
  std::vector<std::string> known;
  describe(value, [&](std::string_view field, auto& target, std::string_view) {
    known.emplace_back(field);
    for (const auto& [key, member] : members) {
      if (key == field && !member.is_null()) from_json(member, target);
    }
  });
  for (const auto& [key, member] : members) {
    if (std::find(known.begin(), known.end(), key) == known.end()) fail_unknown(json, "option", key, known);
  }
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// Throws when a field that is not optional is absent: for inputs, whose fields have no defaults.
template <Described T>
void require_all(const Json& json) {
  T none{};
  describe(none, [&](std::string_view field, auto& member, std::string_view) {
    if constexpr (!IsOptional<std::remove_reference_t<decltype(member)>>::value) json.get(field);
  });
}

// ---- to JSON ----

/// What becomes of a tensor in a result: nested arrays, unless somebody wants a file.
class TensorWriter {
 public:
  virtual ~TensorWriter() = default;
  virtual Json write(std::string_view field, const FloatTensor& tensor) const;
};

template <class T>
  requires std::is_constructible_v<Json, T> && (!Described<T>)
Json to_json(std::string_view, const T& value, const TensorWriter&) {
  return Json(value);
}

inline Json to_json(std::string_view field, const FloatTensor& value, const TensorWriter& writer) {
  return writer.write(field, value);
}

template <Described T>
Json to_json(std::string_view field, const T& value, const TensorWriter& writer);

template <class T>
Json to_json(std::string_view field, const std::optional<T>& value, const TensorWriter& writer) {
  return value ? to_json(field, *value, writer) : Json();
}

template <class T>
Json to_json(std::string_view field, const std::vector<T>& values, const TensorWriter& writer) {
  std::vector<Json> elements;
  elements.reserve(values.size());
  for (const T& value : values) elements.push_back(to_json(field, value, writer));
  return Json::array(elements);
}

template <class T>
bool is_left_out(const T&) {
  return false;
}
template <class T>
bool is_left_out(const OptionalField<T>& value) {
  return !value.has_value();
}

template <Described T>
Json to_json(std::string_view, const T& value, const TensorWriter& writer) {
  Json::Members members;
  // describe takes a mutable struct, as the parser needs one; this visitor only reads.
  describe(const_cast<T&>(value), [&](std::string_view field, auto& member, std::string_view) {
    if (is_left_out(member)) return;
    members.emplace_back(std::string(field), to_json(field, member, writer));
  });
  return Json::object(members);
}

// ---- to help ----

template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, bool>) {
    return "true or false";
  } else if constexpr (std::is_integral_v<T>) {
    return "integer";
  } else if constexpr (std::is_floating_point_v<T>) {
    return "number";
  } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
    return "integer or list";
  } else if constexpr (std::is_same_v<T, std::vector<std::string>> || std::is_same_v<T, CandidateLabels>) {
    return "list of text";
  } else if constexpr (NamedEnum<T>) {
    std::string all;
    for (const auto& [text, each] : names(T{})) all += (all.empty() ? "" : "|") + std::string(text);
    return all;
  } else {
    return "text";
  }
}

template <class T>
struct Unwrapped {
  using Type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
};

template <Described T>
void collect_help(std::vector<FieldHelp>& help, const std::string& prefix) {
  T defaults{};
  describe(defaults, [&](std::string_view field, auto& member, std::string_view description) {
    using Member = typename Unwrapped<std::remove_reference_t<decltype(member)>>::Type;
    if constexpr (Described<Member>) {
      collect_help<Member>(help, prefix + std::string(field) + ".");
    } else {
      help.push_back({prefix + std::string(field), type_name<Member>(), std::string(description)});
    }
  });
}

template <Described T>
std::vector<FieldHelp> help_of() {
  std::vector<FieldHelp> help;
  collect_help<T>(help, "");
  return help;
}

}  // namespace transmuter
