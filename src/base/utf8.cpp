#include "base/utf8.hpp"

#include <algorithm>
#include <array>

namespace transmuter {
namespace {

bool continues(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

// The number of bytes of the sequence at the start of `text`, or 0 when it is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80U) return 1;
  if (first >= 0xC2U && first <= 0xDFU) return continues(static_cast<unsigned char>(byte(1))) ? 2 : 0;
  const unsigned second = byte(1);
  const auto second_within = [&](unsigned low, unsigned high) { return second >= low && second <= high; };
  const bool third = continues(static_cast<unsigned char>(byte(2)));
  if (first >= 0xE0U && first <= 0xEFU) {
    const bool good = first == 0xE0U   ? second_within(0xA0U, 0xBFU)
                      : first == 0xEDU ? second_within(0x80U, 0x9FU)
                                       : second_within(0x80U, 0xBFU);
    return good && third ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const bool good = first == 0xF0U   ? second_within(0x90U, 0xBFU)
                      : first == 0xF4U ? second_within(0x80U, 0x8FU)
                                       : second_within(0x80U, 0xBFU);
    return good && third && continues(static_cast<unsigned char>(byte(3))) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::optional<std::size_t> invalid_utf8_at(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += continues(static_cast<unsigned char>(c)) ? 0U : 1U;
  return count;
}

std::string_view first_code_points(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    if (!continues(static_cast<unsigned char>(text[at])) && seen++ == count) break;
  }
  return text.substr(0, at);
}

CodePointIndex::CodePointIndex(std::string_view text) : text_(text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at <= text.size(); at += kStep) {
    counts_.push_back(count);
    count += code_points(text.substr(at, kStep));
  }
}

std::size_t CodePointIndex::before(std::size_t at) const {
  at = std::min(at, text_.size());
  const std::size_t step = at / kStep;
  return counts_[step] + code_points(text_.substr(step * kStep, at - step * kStep));
}

std::string_view stripped(std::string_view text) {
  constexpr std::array<std::string_view, 29> kSpaces{
      " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\x1C",   "\x1D",   "\x1E",   "\x1F",
      "\u0085", "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
      "\u2007", "\u2008", "\u2009", "\u200A", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"};
  const auto starts = [&](std::string_view space) { return text.starts_with(space); };
  const auto ends = [&](std::string_view space) { return text.ends_with(space); };
  for (auto at = std::ranges::find_if(kSpaces, starts); at != kSpaces.end();
       at = std::ranges::find_if(kSpaces, starts)) {
    text.remove_prefix(at->size());
  }
  for (auto at = std::ranges::find_if(kSpaces, ends); at != kSpaces.end(); at = std::ranges::find_if(kSpaces, ends)) {
    text.remove_suffix(at->size());
  }
  return text;
}

}  // namespace transmuter
