#include "base/utf8.hpp"

#include <gtest/gtest.h>
#include <string>

namespace transmuter {
namespace {

TEST(Utf8, accepts_every_length_of_sequence) {
  EXPECT_FALSE(invalid_utf8_at("aé日😀\xF4\x8F\xBF\xBF"));
  EXPECT_FALSE(invalid_utf8_at(""));
}

TEST(Utf8, finds_the_first_wrong_byte) {
  EXPECT_EQ(invalid_utf8_at("ab\xFF"), 2);
  EXPECT_EQ(invalid_utf8_at("é\x80"), 2);
  EXPECT_EQ(invalid_utf8_at("\xC0\xAF"), 0);          // overlong
  EXPECT_EQ(invalid_utf8_at("\xE0\x80\xAF"), 0);      // overlong
  EXPECT_EQ(invalid_utf8_at("\xED\xA0\x80"), 0);      // a surrogate
  EXPECT_EQ(invalid_utf8_at("\xF4\x90\x80\x80"), 0);  // beyond U+10FFFF
  EXPECT_EQ(invalid_utf8_at("a\xF0\x9F\x98"), 1);     // cut
}

TEST(Utf8, counts_code_points_before_any_byte) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "aé日😀";
  const CodePointIndex index(text);
  for (std::size_t at = 0; at <= text.size(); ++at) {
    ASSERT_EQ(index.before(at), code_points(std::string_view(text).substr(0, at))) << at;
  }
  EXPECT_EQ(index.before(text.size() + 9), 1200U);
  EXPECT_EQ(CodePointIndex("").before(0), 0U);
  EXPECT_EQ(CodePointIndex(std::string_view(text).substr(0, 256 - 6)).before(300), 100U);
}

TEST(Utf8, strips_the_spaces_of_python) {
  EXPECT_EQ(stripped(" \t\u3000a b\u2028\x1F\n"), "a b");
  EXPECT_EQ(stripped("\u00A0\u0085"), "");
  EXPECT_EQ(stripped("\u200Ba"), "\u200Ba");  // no space in Python
}

TEST(Utf8, counts_and_cuts_at_code_points) {
  EXPECT_EQ(code_points("aé日😀"), 4U);
  EXPECT_EQ(first_code_points("aé日😀", 2), "aé");
  EXPECT_EQ(first_code_points("aé", 9), "aé");
  EXPECT_EQ(first_code_points("é", 0), "");
}

}  // namespace
}  // namespace transmuter
