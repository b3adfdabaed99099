#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chat/chat_template.hpp"
#include "support/errors.hpp"

namespace transmuter {
namespace {

const std::filesystem::path kFolder = TRANSMUTER_TESTS_DIR "/golden/chat_template";

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(kFolder)) names.push_back(file.path().stem().string());
  std::ranges::sort(names);
  return names;
}

class GoldenTemplates : public ::testing::TestWithParam<std::string> {};

// Parity: transformers 4.57 render_jinja_template, through reference/cases/chat_template.py.
TEST_P(GoldenTemplates, give_the_prompts_of_transformers) {
  const Json golden = Json::read((kFolder / (GetParam() + ".json")).string());
  std::vector<std::pair<std::string, std::string>> special_tokens;
  for (const auto& [name, token] : golden.get("special_tokens").members()) {
    special_tokens.emplace_back(name, token.as<std::string>());
  }
  const auto requests = golden.get("requests").elements();
  const auto results = golden.get("results").elements();
  ASSERT_EQ(requests.size(), results.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto apply = [&] {
      return ChatTemplate(golden.get<std::string>("template"), special_tokens).apply(chat_of(requests[i]));
    };
    if (const auto text = results[i].find<std::string>("text")) {
      EXPECT_EQ(error_of([&] { EXPECT_EQ(apply(), *text) << "request " << i; }), "no error") << "request " << i;
    } else {
      const auto expected = results[i].get<std::string>("error");
      EXPECT_THAT(error_of([&] { (void)apply(); }), ::testing::HasSubstr(expected.empty() ? "Invalid" : expected))
          << "request " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Chat, GoldenTemplates, ::testing::ValuesIn(names()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace transmuter
