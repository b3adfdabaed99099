#include "base/json_builder.hpp"

#include <unordered_map>
#include <vector>

namespace transmuter {
namespace {

using Value = nlohmann::ordered_json;
using Entries = std::vector<Value::object_t::value_type, Value::object_t::allocator_type>;

Entries& entries_of(Value& object) { return object.get_ref<Value::object_t&>(); }

class Builder final : public nlohmann::json_sax<Value> {
 public:
  explicit Builder(Value& root) : root_(root) {}

  const std::optional<std::string>& failure() const { return failure_; }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t& value) override { return put(std::move(value)); }

  bool start_object(std::size_t) override { return open(Value::object()); }
  bool key(string_t& name) override {
    keys_.push_back(std::move(name));
    return true;
  }
  bool end_object() override {
    keep_last_of_each_key(entries_of(*open_.back()));
    return close();
  }
  bool start_array(std::size_t) override { return open(Value::array()); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    failure_ = error.what();
    return false;
  }

 private:
  // An open container stays where it is: its parent does not grow before it is closed.
  template <class T>
  Value& place(T&& value) {
    if (open_.empty()) return root_ = Value(std::forward<T>(value));
    Value& parent = *open_.back();
    if (parent.is_array()) return parent.get_ref<Value::array_t&>().emplace_back(std::forward<T>(value));
    auto& entries = entries_of(parent);
    entries.emplace_back(std::move(keys_.back()), Value(std::forward<T>(value)));
    keys_.pop_back();
    return entries.back().second;
  }

  template <class T>
  bool put(T&& value) {
    place(std::forward<T>(value));
    return true;
  }
  bool open(Value container) {
    open_.push_back(&place(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  static void keep_last_of_each_key(Entries& entries) {
    std::unordered_map<std::string_view, std::size_t> first;
    bool repeated = false;
    for (std::size_t i = 0; i < entries.size(); ++i)
      repeated = !first.try_emplace(entries[i].first, i).second || repeated;
    if (!repeated) return;
    for (auto& [key, value] : entries) entries[first.at(key)].second = std::move(value);
    Entries kept;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (first.at(entries[i].first) == i) kept.emplace_back(entries[i].first, std::move(entries[i].second));
    }
    entries.swap(kept);
  }

  Value& root_;
  std::vector<Value*> open_;
  std::vector<std::string> keys_;
  std::optional<std::string> failure_;
};

}  // namespace

std::optional<std::string> build_json(std::string_view text, Value& value) {
  Builder builder(value);
  if (Value::sax_parse(text, &builder)) return std::nullopt;
  return builder.failure().value_or("the text ends too early");
}

}  // namespace transmuter
