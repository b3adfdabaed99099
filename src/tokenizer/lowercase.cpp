#include "tokenizer/lowercase.hpp"

#include "rust_border/border.hpp"

namespace transmuter {

std::string lowercase(std::string_view text) {
  rust_border::Text lower;
  rust_border::call([&](tmr_text* error) { return tmr_lowercase(rust_border::view(text), lower.place(), error); });
  return lower.str();
}

}  // namespace transmuter
