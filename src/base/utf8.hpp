#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace transmuter {

/// Where the first byte is that makes a text invalid UTF-8; nothing when it is valid.
std::optional<std::size_t> invalid_utf8_at(std::string_view text);

/// How many code points a valid text has.
std::size_t code_points(std::string_view text);

/// The part of a valid text that holds its first `count` code points.
std::string_view first_code_points(std::string_view text, std::size_t count);

/// A valid text without the spaces at both ends. Parity: Python str.strip().
std::string_view stripped(std::string_view text);

/// Counts the code points before any byte of a valid text, without starting over each time. Refers to the text.
class CodePointIndex {
 public:
  explicit CodePointIndex(std::string_view text);

  /// The code points before byte `at`; those of the whole text when `at` is beyond its end.
  std::size_t before(std::size_t at) const;

 private:
  static constexpr std::size_t kStep = 256;

  std::string_view text_;
  std::vector<std::size_t> counts_;  // before each byte whose place is a multiple of kStep
};

}  // namespace transmuter
