#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace transmuter {

/// A JSON value that never changes and knows where it came from: an error about it names the file (or "request") and
/// the path in it. Copies share the document. Keys keep their order.
class Json {
 public:
  using Members = std::vector<std::pair<std::string, Json>>;

  Json();  ///< null
  Json(bool value);
  Json(std::int64_t value);
  Json(int value) : Json(static_cast<std::int64_t>(value)) {}
  Json(std::size_t value) : Json(static_cast<std::int64_t>(value)) {}
  Json(double value);
  Json(float value);  ///< The shortest decimal that reads back as the same float; NaN and infinities become null.
  Json(std::string value);
  Json(std::string_view value) : Json(std::string(value)) {}
  Json(const char* value) : Json(std::string(value)) {}
  static Json object(const Members& members);
  static Json array(const std::vector<Json>& elements);
  /// A row-major tensor as nested arrays.
  static Json nested(std::span<const float> values, std::span<const std::int64_t> shape);
  static Json nested(std::span<const std::int64_t> values, std::span<const std::int64_t> shape);

  /// Parses `text`; an error has `code` and begins with `name`, as do the errors of all values below it.
  static Json parse(std::string_view text, std::string_view name, ErrorCode code = ErrorCode::InvalidModel);
  /// Reads and parses a file, with the file's name as the name.
  static Json read(const std::string& path, ErrorCode code = ErrorCode::InvalidModel);

  bool is_null() const;
  bool is_bool() const;
  bool is_number() const;
  bool is_integer() const;
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;

  /// The value as T: bool, std::int64_t, int, std::size_t, float, double, std::string, Json, or std::vector of
  /// std::string, std::int64_t or float. Throws with the path when it is something else.
  template <class T>
  T as() const;

  /// The value below `key`; a dot in `key` goes one object deeper ("vision_config.image_size") unless the object has
  /// that very key. Absent and null are nothing.
  std::optional<Json> find(std::string_view key) const;
  template <class T>
  std::optional<T> find(std::string_view key) const {
    const auto found = find(key);
    return found ? std::optional<T>(found->as<T>()) : std::nullopt;
  }
  Json get(std::string_view key) const;
  template <class T>
  T get(std::string_view key) const {
    return get(key).as<T>();
  }
  template <class T>
  T get_or(std::string_view key, T otherwise) const {
    auto found = find<T>(key);
    return found ? std::move(*found) : std::move(otherwise);
  }

  std::vector<Json> elements() const;  ///< Of an array; an error for anything else.
  Members members() const;             ///< Of an object; an error for anything else.
  std::size_t size() const;            ///< Of an array or object, else 0.

  /// "request.options.top_k"; the name of the document at its root.
  std::string path() const;
  /// Throws an error of the document's code that names this value's path.
  [[noreturn]] void fail_here(std::string_view message) const;

  /// One line, or indented by `indent` spaces.
  std::string dump(int indent = -1) const;

 private:
  struct Document;  // keeps nlohmann's header out of this one
  struct Access;
  struct Unset {};
  explicit Json(Unset) {}

  std::shared_ptr<const Document> document_;
  const void* value_ = nullptr;  // the library's value inside the document
  std::string path_;
};

}  // namespace transmuter
