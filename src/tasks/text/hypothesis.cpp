#include "tasks/text/hypothesis.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace transmuter {
namespace {

constexpr std::array<std::string_view, 5> kEndings = {"", "!s", ":", ":s", "!s:s"};

class Formatter {
 public:
  Formatter(std::string_view hypothesis_template, std::string_view label)
      : template_(hypothesis_template), label_(label) {}

  std::string run() {
    for (std::size_t at = 0; at < template_.size(); ++at) {
      const char c = template_[at];
      const bool is_doubled = template_.substr(at + 1).starts_with(c);
      if ((c == '{' || c == '}') && is_doubled) {
        text_ += c;
        ++at;
      } else if (c == '{') {
        const auto end = template_.find('}', at);
        if (end == std::string_view::npos) fail_here("has a \"{\" without a \"}\"");
        put(template_.substr(at + 1, end - at - 1));
        at = end;
      } else if (c == '}') {
        fail_here("has a \"}\" without a \"{\"");
      } else {
        text_ += c;
      }
    }
    return std::move(text_);
  }

 private:
  void put(std::string_view field) {
    const std::string_view name = field.substr(0, field.find_first_of("!:"));
    const bool is_numbered = !name.empty();
    if (is_numbered && !std::ranges::all_of(name, [](char c) { return c == '0'; }))
      fail_here("names another thing than the label");
    if (std::ranges::find(kEndings, field.substr(name.size())) == kEndings.end())
      fail_here("has a conversion or format that is not run here");
    if (is_numbered ? automatic_ : numbered_) fail_here("has both {} and {0}");
    if (!is_numbered && automatic_) fail_here("has {} twice, and there is one label (write {0})");
    (is_numbered ? numbered_ : automatic_) = true;
    text_ += label_;
  }

  [[noreturn]] void fail_here(std::string_view what) const {
    fail(ErrorCode::InvalidInput,
         "hypothesis_template: \"{}\" {}; write {{}} where the label goes, as in "
         "\"This example is {{}}.\"",
         template_, what);
  }

  std::string_view template_;
  std::string_view label_;
  std::string text_;
  bool automatic_ = false;
  bool numbered_ = false;
};

}  // namespace

std::string format_hypothesis(std::string_view hypothesis_template, std::string_view label) {
  return Formatter(hypothesis_template, label).run();
}

}  // namespace transmuter
