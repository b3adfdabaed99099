// A text through the built-in model's tokenizer, cut at every length; the first byte chooses the length.
#include "tokenizer/tokenizer.hpp"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/error.hpp"

namespace {

const transmuter::Tokenizer& tokenizer() {
  static const transmuter::Tokenizer made = [] {
    std::ifstream file(TRANSMUTER_FUZZ_TOKENIZER, std::ios::binary);
    return transmuter::Tokenizer({.tokenizer = {std::istreambuf_iterator<char>(file), {}},
                                  .tokenizer_config = {},
                                  .special_tokens_map = {},
                                  .added_tokens = {},
                                  .config = {}});
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    transmuter::EncodeOptions options;
    options.max_length = data[0];
    const auto row = tokenizer().encode(text, options);
    if (row.length() > options.max_length.value_or(0)) std::abort();
    for (const auto& offset : row.offsets) {
      if (offset.start > offset.end || offset.end > text.size()) std::abort();
    }
    (void)tokenizer().decode(row.ids);
  } catch (const transmuter::Error&) {
  }
  return 0;
}
