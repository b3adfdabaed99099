#include "tokenizer/lowercase.hpp"

#include <gtest/gtest.h>

#include "support/errors.hpp"

namespace transmuter {
namespace {

// What Python's str.lower() gives.
TEST(Lowercase, follows_unicode) {
  EXPECT_EQ(lowercase("New YORK 1"), "new york 1");
  EXPECT_EQ(lowercase("ÀÉ ß"), "àé ß");
  EXPECT_EQ(lowercase("ΣΑΣ Σ"), "σας σ");  // the last sigma of a word, and one that stands alone
  EXPECT_EQ(lowercase("İI"), "i\u0307i");  // two code points of one
  EXPECT_EQ(lowercase("日本 😀"), "日本 😀");
  EXPECT_EQ(lowercase(""), "");
}

TEST(Lowercase, refuses_what_is_no_text) {
  EXPECT_EQ(error_of([] { (void)lowercase("a\xFF"); }), "InvalidInput: the text is not valid UTF-8 at byte 1");
}

}  // namespace
}  // namespace transmuter
