// Every case of tests/golden/ against the Python reference's results.
#include "support/golden.hpp"

#include <gtest/gtest.h>

#include "tasks/registry.hpp"

namespace transmuter {
namespace {

using testing::GoldenCase;

class Golden : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(Golden, equals_the_reference) {
  const Json golden = GetParam().read();
  const auto error_expected = golden.find("error");
  try {
    const Task& task = find_task(golden.get<std::string>("task"));
    const auto serving = task.open(source_of(golden.get<std::string>("model")), golden.get("options"), {});
    const auto results = serving->run(golden.get("inputs").elements());
    ASSERT_FALSE(error_expected) << "an error was expected: " << error_expected->dump();
    const auto expected = golden.get("results").elements();
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(testing::difference(expected[i], results[i]->json(TensorWriter()), golden.get("tolerance")), "")
          << "input " << i;
    }
  } catch (const Error& error) {
    ASSERT_TRUE(error_expected) << error.what();
    EXPECT_EQ(error_expected->get<std::string>("code"), name(error.code())) << error.what();
    const auto part = error_expected->get<std::string>("message_contains");
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(cases, Golden, ::testing::ValuesIn(testing::golden_cases()), testing::test_name);

}  // namespace
}  // namespace transmuter
