#include "tokenizer/lowercase.hpp"

#include "tokenizer/border.hpp"

namespace transmuter {

std::string lowercase(std::string_view text) {
  Text lower;
  call([&](tmr_text* error) { return tmr_lowercase(view(text), lower.place(), error); });
  return lower.str();
}

}  // namespace transmuter
