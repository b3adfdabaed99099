#include "tasks/text/best_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transmuter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::size_t> ids(const std::vector<TokenScore>& tokens) {
  std::vector<std::size_t> ids;
  for (const TokenScore& token : tokens) ids.push_back(token.id);
  return ids;
}

TEST(BestTokens, are_those_of_a_softmax_over_all) {
  const std::vector<float> logits = {1000.0F, 998.0F, 999.0F, -1000.0F};
  const auto best = best_tokens(logits, 2);
  EXPECT_THAT(ids(best), ElementsAre(0, 2));
  EXPECT_NEAR(best[0].score, 0.6652410F, 1e-6);
  EXPECT_NEAR(best[1].score, 0.2447285F, 1e-6);
}

TEST(BestTokens, of_targets_keep_the_softmax_of_all) {
  const std::vector<float> logits = {1000.0F, 998.0F, 999.0F, -1000.0F};
  const std::vector<std::size_t> targets = {1, 2, 3};
  const auto best = best_tokens(logits, 9, targets);
  EXPECT_THAT(ids(best), ElementsAre(2, 1, 3));
  EXPECT_NEAR(best[0].score, 0.2447285F, 1e-6);
  EXPECT_EQ(best[2].score, 0.0F);
}

TEST(BestTokens, of_equal_logits_keep_their_order_and_none_have_none) {
  EXPECT_THAT(ids(best_tokens(std::vector<float>{1, 2, 2, 1, 2}, 4)), ElementsAre(1, 2, 4, 0));
  EXPECT_THAT(best_tokens({}, 4), IsEmpty());
}

}  // namespace
}  // namespace transmuter
