// A tokenizer.json, and a text through it.
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "tokenizer/tokenizer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const transmuter::Tokenizer tokenizer({.tokenizer = std::string(reinterpret_cast<const char*>(data), size),
                                           .tokenizer_config = {},
                                           .special_tokens_map = {},
                                           .added_tokens = {},
                                           .config = {}});
    (void)tokenizer.encode("A text, 日本語 😀");
  } catch (const transmuter::Error&) {
  }
  return 0;
}
