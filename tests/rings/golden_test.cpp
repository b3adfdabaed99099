// Every case of tests/golden/ against the Python reference's results.
#include <gtest/gtest.h>

#include "support/golden.hpp"
#include "tasks/registry.hpp"

namespace transmuter {
namespace {

using testing::GoldenCase;

class Golden : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(Golden, equals_the_reference) {
  const GoldenCase& golden = GetParam();
  const Task& task = find_task(golden.task());
  try {
    const auto serving = task.open(source_of(golden.model()), golden.options(), {});
    const auto results = serving->run(golden.inputs());
    ASSERT_FALSE(golden.expects_error()) << "an error was expected: " << golden.json.get("error").dump();
    const auto expected = golden.json.get("results").elements();
    ASSERT_EQ(results.size(), expected.size());
    const Json tolerance = golden.json.find("tolerance").value_or(Json::object({}));
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(testing::difference(expected[i], results[i]->json(TensorWriter()), tolerance), "") << "input " << i;
    }
  } catch (const Error& error) {
    ASSERT_TRUE(golden.expects_error()) << error.what();
    EXPECT_EQ(golden.json.get<std::string>("error.code"), name(error.code())) << error.what();
    const auto part = golden.json.get<std::string>("error.message_contains");
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(cases, Golden, ::testing::ValuesIn(testing::golden_cases()), testing::test_name);

}  // namespace
}  // namespace transmuter
