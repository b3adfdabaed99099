#include "tasks/text/hypothesis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.hpp"

namespace transmuter {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Hypothesis, puts_the_label_where_the_braces_are) {
  EXPECT_EQ(format_hypothesis("This example is {}.", "a {b}"), "This example is a {b}.");
  EXPECT_EQ(format_hypothesis("{0}, {0} and {{0}}", "x"), "x, x and {0}");
  EXPECT_EQ(format_hypothesis("{!s}{{{{", "x"), "x{{");
  EXPECT_EQ(format_hypothesis("{:s}", "x"), "x");
  EXPECT_EQ(format_hypothesis("{{{}", "x"), "{x");
  EXPECT_EQ(format_hypothesis("{00}", "x"), "x");
  EXPECT_EQ(format_hypothesis("{}", ""), "");
  EXPECT_EQ(format_hypothesis("", "x"), "");
}

TEST(Hypothesis, refuses_what_python_refuses) {
  for (const char* text : {"{", "}", "{}}", "{{}", "{} {}", "{} {0}", "{0} {}", "{1}", "{label}", "{0.upper}", "{0[1]}",
                           "{!r}", "{:>9}", "{:{}}"}) {
    EXPECT_THAT(error_of([&] { (void)format_hypothesis(text, "x"); }),
                StartsWith("InvalidInput: hypothesis_template: "))
        << text;
  }
  EXPECT_THAT(error_of([] { (void)format_hypothesis("{} {}", "x"); }), HasSubstr("write {0}"));
}

}  // namespace
}  // namespace transmuter
