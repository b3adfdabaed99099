// The word splitter against Python's `re` on strings of many scripts; see reference/tokenizers/words.py.
#include "tasks/text/words.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/json.hpp"
#include "base/utf8.hpp"
#include "support/errors.hpp"

namespace transmuter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Json golden() { return Json::read(TRANSMUTER_TESTS_DIR "/golden/words.json"); }

std::string utf8(char32_t point) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  const auto next = [&](unsigned shift) { return byte(0x80U | (point >> shift & 0x3FU)); };
  if (point < 0x80U) return {byte(point)};
  if (point < 0x800U) return {byte(0xC0U | point >> 6U), next(0)};
  if (point < 0x10000U) return {byte(0xE0U | point >> 12U), next(6), next(0)};
  return {byte(0xF0U | point >> 18U), next(12), next(6), next(0)};
}

std::vector<std::vector<std::int64_t>> in_code_points(std::string_view text, const std::vector<ByteRange>& parts) {
  const CodePointIndex points(text);
  std::vector<std::vector<std::int64_t>> result;
  for (const ByteRange& part : parts) {
    result.push_back(
        {static_cast<std::int64_t>(points.before(part.start)), static_cast<std::int64_t>(points.before(part.end))});
  }
  return result;
}

TEST(SplitWords, gives_what_python_gives) {
  const auto cases = golden().get("cases").elements();
  EXPECT_GT(cases.size(), 500U);
  for (const Json& each : cases) {
    const auto text = each.elements()[0].as<std::string>();
    std::vector<std::vector<std::int64_t>> wanted;
    for (const Json& span : each.elements()[1].elements()) wanted.push_back(span.as<std::vector<std::int64_t>>());
    EXPECT_EQ(in_code_points(text, split_words(text)), wanted) << text;
  }
}

TEST(SplitWords, knows_every_code_point_as_python_does) {
  std::uint64_t classes = 0xCBF29CE484222325;
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point >= 0xD800 && point < 0xE000) continue;
    const auto words = split_words("a" + utf8(point));
    const char letter = words.size() == 2 ? 'o' : words.front().end > 1 ? 'w' : 's';
    classes = (classes ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
  }
  EXPECT_EQ(fmt::format("{:016x}", classes), golden().get<std::string>("classes"));
}

TEST(SplitWords, stops_at_the_most) {
  EXPECT_THAT(split_words("one two-three four", 2), ElementsAre(ByteRange{0, 3}, ByteRange{4, 13}));
  EXPECT_THAT(split_words("one", 0), IsEmpty());
}

TEST(SplitWords, refuses_what_is_not_utf8_also_after_the_most) {
  EXPECT_THAT(error_of([] { (void)split_words("one two \xC3", 1); }),
              StartsWith("InvalidInput: the text is not valid"));
  EXPECT_THAT(error_of([] { (void)split_words("\xED\xA0\x80"); }), StartsWith("InvalidInput: the text is not valid"));
}

}  // namespace
}  // namespace transmuter
