#include "base/json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>

#include "base/json_builder.hpp"

namespace transmuter {

using Value = nlohmann::ordered_json;

struct Json::Document {
  Value root;
  std::string name;
  ErrorCode code = ErrorCode::Internal;
};

struct Json::Access {
  static const Value& value(const Json& json) { return *static_cast<const Value*>(json.value_); }

  static Json root(Value&& value, std::string name, ErrorCode code) {
    Json json{Unset{}};
    json.document_ = std::make_shared<const Document>(Document{std::move(value), std::move(name), code});
    json.value_ = &json.document_->root;
    return json;
  }

  static Json made(Value&& value) { return root(std::move(value), "value", ErrorCode::Internal); }

  static Json below(const Json& parent, const Value& value, std::string path) {
    Json json{Unset{}};
    json.document_ = parent.document_;
    json.value_ = &value;
    json.path_ = std::move(path);
    return json;
  }

  static std::string member_path(const Json& parent, std::string_view key) {
    return parent.path_.empty() ? std::string(key) : fmt::format("{}.{}", parent.path_, key);
  }

  /// Grows without the recursion of nested vectors: `shape` may have any rank, and 0 anywhere.
  template <class T, class Scalar>
  static Value nested(std::span<const T>& rest, std::span<const std::int64_t> shape, const Scalar& scalar) {
    if (shape.empty()) {
      const T value = rest.front();
      rest = rest.subspan(1);
      return scalar(value);
    }
    Value array = Value::array();
    array.get_ref<Value::array_t&>().reserve(static_cast<std::size_t>(shape.front()));
    for (std::int64_t i = 0; i < shape.front(); ++i) array.push_back(nested(rest, shape.subspan(1), scalar));
    return array;
  }

  // A float goes through its shortest decimal, so that the double prints as the float would.
  static Value shortest(float value) {
    if (!std::isfinite(value)) return nullptr;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    double read = 0;
    std::from_chars(digits.data(), end, read);
    return read;
  }
};

Json::Json() : Json(Access::made(nullptr)) {}
Json::Json(bool value) : Json(Access::made(value)) {}
Json::Json(std::int64_t value) : Json(Access::made(value)) {}
Json::Json(double value) : Json(Access::made(std::isfinite(value) ? Value(value) : Value(nullptr))) {}
Json::Json(float value) : Json(Access::made(Access::shortest(value))) {}
Json::Json(std::string value) : Json(Access::made(std::move(value))) {}

Json Json::object(const Members& members) {
  Value value = Value::object();
  for (const auto& [key, member] : members) value[key] = Access::value(member);
  return Access::made(std::move(value));
}

Json Json::array(const std::vector<Json>& elements) {
  Value value = Value::array();
  for (const Json& element : elements) value.push_back(Access::value(element));
  return Access::made(std::move(value));
}

Json Json::nested(std::span<const float> values, std::span<const std::int64_t> shape) {
  return Access::made(Access::nested(values, shape, Access::shortest));
}

Json Json::nested(std::span<const std::int64_t> values, std::span<const std::int64_t> shape) {
  return Access::made(Access::nested(values, shape, [](std::int64_t value) { return Value(value); }));
}

namespace {

// Values are walked recursively, so that a file of brackets would exhaust the stack.
constexpr int kDeepest = 256;

bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Json Json::parse(std::string_view text, std::string_view name, ErrorCode code) {
  if (is_too_deep(text)) fail(code, "{}: has more than {} lists and objects inside each other", name, kDeepest);
  Value value;
  if (const auto failure = build_json(text, value)) {
    std::string_view what = *failure;
    if (const auto bracket = what.find("] "); bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
    fail(code, "{}: not valid JSON: {}", name, what);
  }
  return Access::root(std::move(value), std::string(name), code);
}

Json Json::read(const std::string& path, ErrorCode code) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(ErrorCode::NotFound, "{}: cannot be read", path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto slash = path.rfind('/');
  return parse(text, slash == std::string::npos ? path : path.substr(slash + 1), code);
}

bool Json::is_null() const { return Access::value(*this).is_null(); }
bool Json::is_bool() const { return Access::value(*this).is_boolean(); }
bool Json::is_number() const { return Access::value(*this).is_number(); }
bool Json::is_integer() const { return Access::value(*this).is_number_integer(); }
bool Json::is_string() const { return Access::value(*this).is_string(); }
bool Json::is_array() const { return Access::value(*this).is_array(); }
bool Json::is_object() const { return Access::value(*this).is_object(); }

namespace {

// What an error shows of a value: all of it when it is short.
std::string shown(const Value& value) {
  std::string text = value.dump(-1, ' ', false, Value::error_handler_t::replace);
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? text : fmt::format("{} ({} bytes of JSON)", value.type_name(), text.size());
}

}  // namespace

std::string Json::path() const {
  if (path_.empty()) return document_->name;
  return fmt::format("{}: {}", document_->name, path_);
}

void Json::fail_here(std::string_view message) const { fail(document_->code, "{}: {}", path(), message); }

std::string Json::dump(int indent) const {
  return Access::value(*this).dump(indent, ' ', false, Value::error_handler_t::replace);
}

template <>
Json Json::as<Json>() const {
  return *this;
}

template <>
bool Json::as<bool>() const {
  const Value& value = Access::value(*this);
  if (!value.is_boolean()) fail_here(fmt::format("must be true or false, is {}", shown(value)));
  return value.get<bool>();
}

template <>
std::int64_t Json::as<std::int64_t>() const {
  const Value& value = Access::value(*this);
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    fail_here(fmt::format("must be an integer below 2^63, is {}", shown(value)));
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  // Python writes some integers as floats: 512.0
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (number == std::floor(number) && std::abs(number) < 9e15) return static_cast<std::int64_t>(number);
  }
  fail_here(fmt::format("must be an integer, is {}", shown(value)));
}

template <>
int Json::as<int>() const {
  const auto value = as<std::int64_t>();
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    fail_here(fmt::format("is out of range: {}", value));
  }
  return static_cast<int>(value);
}

template <>
std::size_t Json::as<std::size_t>() const {
  const auto value = as<std::int64_t>();
  if (value < 0) fail_here(fmt::format("must not be negative, is {}", value));
  return static_cast<std::size_t>(value);
}

template <>
double Json::as<double>() const {
  const Value& value = Access::value(*this);
  if (!value.is_number()) fail_here(fmt::format("must be a number, is {}", shown(value)));
  return value.get<double>();
}

template <>
float Json::as<float>() const {
  return static_cast<float>(as<double>());
}

template <>
std::string Json::as<std::string>() const {
  const Value& value = Access::value(*this);
  if (!value.is_string()) fail_here(fmt::format("must be a string, is {}", shown(value)));
  return value.get<std::string>();
}

std::vector<Json> Json::elements() const {
  const Value& value = Access::value(*this);
  if (!value.is_array()) fail_here(fmt::format("must be a list, is {}", shown(value)));
  std::vector<Json> all;
  all.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    all.push_back(Access::below(*this, value[i], fmt::format("{}[{}]", path_, i)));
  }
  return all;
}

Json::Members Json::members() const {
  const Value& value = Access::value(*this);
  if (!value.is_object()) fail_here(fmt::format("must be an object, is {}", shown(value)));
  Members all;
  all.reserve(value.size());
  for (const auto& [key, member] : value.items()) {
    all.emplace_back(key, Access::below(*this, member, Access::member_path(*this, key)));
  }
  return all;
}

std::size_t Json::size() const {
  const Value& value = Access::value(*this);
  return value.is_structured() ? value.size() : 0;
}

std::optional<Json> Json::find(std::string_view key) const {
  const Value& value = Access::value(*this);
  if (!value.is_object()) return std::nullopt;
  if (const auto found = value.find(key); found != value.end()) {
    if (found->is_null()) return std::nullopt;
    return Access::below(*this, *found, Access::member_path(*this, key));
  }
  for (auto dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.', dot + 1)) {
    const auto found = value.find(key.substr(0, dot));
    if (found == value.end()) continue;
    return Access::below(*this, *found, Access::member_path(*this, key.substr(0, dot))).find(key.substr(dot + 1));
  }
  return std::nullopt;
}

Json Json::get(std::string_view key) const {
  if (auto found = find(key)) return std::move(*found);
  if (!is_object()) fail_here(fmt::format("must be an object, is {}", shown(Access::value(*this))));
  fail_here(fmt::format("\"{}\" is missing", key));
}

namespace {

template <class T>
std::vector<T> all_as(const Json& json) {
  std::vector<T> values;
  for (const Json& element : json.elements()) values.push_back(element.as<T>());
  return values;
}

}  // namespace

template <>
std::vector<std::int64_t> Json::as<std::vector<std::int64_t>>() const {
  return all_as<std::int64_t>(*this);
}

template <>
std::vector<std::string> Json::as<std::vector<std::string>>() const {
  return all_as<std::string>(*this);
}

template <>
std::vector<float> Json::as<std::vector<float>>() const {
  return all_as<float>(*this);
}

}  // namespace transmuter
