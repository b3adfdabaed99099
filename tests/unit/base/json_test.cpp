#include "base/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transmuter {
namespace {

using testing::HasSubstr;

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Json, finds_values_below_dotted_keys) {
  const Json json = Json::parse(R"({"a": {"b": 3}, "x.y": {"z": "deep"}})", "config.json");
  EXPECT_EQ(json.find<std::int64_t>("a.b"), 3);
  EXPECT_EQ(json.find<std::string>("x.y.z"), "deep");
  EXPECT_FALSE(json.find("a.c"));
}

TEST(Json, takes_null_for_absent) { EXPECT_FALSE(Json::parse(R"({"a": null})", "config.json").find("a")); }

TEST(Json, names_file_and_path_in_errors) {
  const Json json = Json::parse(R"({"a": {"b": ["x"]}})", "config.json");
  EXPECT_EQ(message_of([&] { (void)json.get("a.b").elements()[0].as<int>(); }),
            "config.json: a.b[0]: must be an integer, is \"x\"");
  EXPECT_THAT(message_of([&] { (void)json.get("nothing"); }), HasSubstr("\"nothing\" is missing"));
}

TEST(Json, refuses_what_is_not_json) {
  EXPECT_THAT(message_of([] { (void)Json::parse("{", "config.json"); }), HasSubstr("config.json: not valid JSON"));
}

TEST(Json, refuses_numbers_and_nesting_beyond_reason) {
  EXPECT_THAT(message_of([] { (void)Json::parse("1e999", "config.json"); }), HasSubstr("config.json: not valid JSON"));
  const std::string deep(100'000, '[');
  EXPECT_THAT(message_of([&] { (void)Json::parse(deep, "config.json"); }), HasSubstr("more than 256 lists"));
  EXPECT_EQ(Json::parse(R"(["[[[\"[["])", "x").size(), 1U);
}

TEST(Json, takes_the_last_value_of_a_repeated_key_as_python_does) {
  EXPECT_EQ(Json::parse(R"({"a": 1, "b": {"x": 1, "x": 2}, "a": [3], "c": 4, "a": null})", "x").dump(),
            R"({"a":null,"b":{"x":2},"c":4})");
}

TEST(Json, reads_objects_of_many_keys) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += "\"" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  const auto members = Json::parse(text, "x").members();
  ASSERT_EQ(members.size(), 200'000U);
  EXPECT_EQ(members.back().second.as<int>(), 199'999);
}

TEST(Json, prints_floats_that_read_back) {
  const std::vector<float> values{0.1F, 1.0F / 3.0F, 1e-30F, 3.0F};
  const std::vector<std::int64_t> shape{2, 2};
  const std::string text = Json::nested(std::span<const float>(values), shape).dump();
  EXPECT_EQ(text, "[[0.1,0.33333334],[1e-30,3.0]]");
}

TEST(Json, reads_whole_floats_as_integers) {
  EXPECT_EQ(Json::parse("512.0", "x").as<std::int64_t>(), 512);
  EXPECT_THROW((void)Json::parse("512.5", "x").as<std::int64_t>(), Error);
}

TEST(Json, keeps_the_order_of_keys) { EXPECT_EQ(Json::object({{"z", 1}, {"a", true}}).dump(), R"({"z":1,"a":true})"); }

}  // namespace
}  // namespace transmuter
