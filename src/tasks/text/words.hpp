#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.hpp"

namespace transmuter {

/// Code points `first` to `last`.
struct CodePointRange {
  char32_t first = 0;
  char32_t last = 0;
};

/// What `\w` of Python's `re` is: letters, digits, other numerals and "_", but no combining marks. Sorted; of the
/// Unicode version that word_characters.cpp names.
std::span<const CodePointRange> word_characters();

/// The words of a text and where they lie in it, at most `most`: runs of word characters, also joined by single
/// hyphens, and each other character that is no space. Throws InvalidInput with the byte where the text is not UTF-8.
/// Parity: gliner 0.2.29 WhitespaceTokenSplitter.
std::vector<ByteRange> split_words(std::string_view text, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace transmuter
