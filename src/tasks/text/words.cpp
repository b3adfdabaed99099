#include "tasks/text/words.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace transmuter {
namespace {

// What str.isspace and `\s` of Python take for spaces: Unicode's, and the separators U+001C to U+001F.
constexpr CodePointRange kSpaces[] = {{0x09, 0x0D},     {0x1C, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},
                                      {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
                                      {0x205F, 0x205F}, {0x3000, 0x3000}};

bool has(std::span<const CodePointRange> ranges, char32_t point) {
  const auto after = std::ranges::upper_bound(ranges, point, {}, &CodePointRange::first);
  return after != ranges.begin() && point <= std::prev(after)->last;
}

/// A character of a valid text; none at its end.
struct Character {
  std::size_t size = 0;
  char32_t point = 0;

  bool is_word() const { return size != 0 && has(word_characters(), point); }
  bool is_space() const { return size != 0 && has(kSpaces, point); }
};

Character character_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[at + i])); };
  const char32_t first = byte(0);
  if (first < 0x80U) return {1, first};
  const std::size_t size = first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
  char32_t point = first & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) point = point << 6U | (byte(i) & 0x3FU);
  return {size, point};
}

std::size_t end_of_run(std::string_view text, std::size_t at) {
  for (Character next = character_at(text, at); next.is_word(); next = character_at(text, at)) at += next.size;
  return at;
}

// Where the word or sign that begins at `start` ends.
std::size_t end_of_word(std::string_view text, std::size_t start) {
  std::size_t end = end_of_run(text, start);
  if (end == start) return start + character_at(text, start).size;
  while (end < text.size() && text[end] == '-' && character_at(text, end + 1).is_word()) {
    end = end_of_run(text, end + 1);
  }
  return end;
}

}  // namespace

std::vector<ByteRange> split_words(std::string_view text, std::size_t most) {
  if (const auto at = invalid_utf8_at(text)) {
    fail(ErrorCode::InvalidInput, "the text is not valid UTF-8 at byte {}", *at);
  }
  std::vector<ByteRange> words;
  for (std::size_t at = 0; at < text.size() && words.size() < most;) {
    const Character next = character_at(text, at);
    const std::size_t end = next.is_space() ? at + next.size : end_of_word(text, at);
    if (!next.is_space()) words.push_back({at, end});
    at = end;
  }
  return words;
}

}  // namespace transmuter
