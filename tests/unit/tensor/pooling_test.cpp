#include "tensor/pooling.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transmuter {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

// Three tokens of two dimensions.
const std::vector<float> kValues{1, 10, 2, 20, 6, -30};
const TokenEmbeddings kTokens{.values = kValues, .tokens = 3, .dimensions = 2};

std::vector<float> pooled(PoolingMode mode, std::size_t begin = 0) { return pool(kTokens, {&mode, 1}, begin); }

TEST(Pool, takes_the_mean) { EXPECT_THAT(pooled(PoolingMode::Mean), ElementsAre(3, 0)); }
TEST(Pool, takes_the_first_token) { EXPECT_THAT(pooled(PoolingMode::Cls), ElementsAre(1, 10)); }
TEST(Pool, takes_the_last_token) { EXPECT_THAT(pooled(PoolingMode::LastToken), ElementsAre(6, -30)); }
TEST(Pool, takes_the_largest_values) { EXPECT_THAT(pooled(PoolingMode::Max), ElementsAre(6, 20)); }

TEST(Pool, divides_by_the_root_of_the_length) {
  EXPECT_THAT(pooled(PoolingMode::MeanSqrtLen), ElementsAre(FloatEq(9.0F / std::sqrt(3.0F)), 0));
}

TEST(Pool, weighs_later_tokens_more) {
  EXPECT_THAT(pooled(PoolingMode::WeightedMean), ElementsAre(FloatEq(23.0F / 6.0F), FloatEq(-40.0F / 6.0F)));
}

TEST(Pool, puts_modes_one_after_the_other) {
  const std::vector<PoolingMode> modes{PoolingMode::LastToken, PoolingMode::Cls};
  EXPECT_THAT(pool(kTokens, modes), ElementsAre(6, -30, 1, 10));
}

TEST(Pool, leaves_a_prompt_out) {
  EXPECT_THAT(pooled(PoolingMode::Mean, 1), ElementsAre(4, -5));
  EXPECT_THAT(pooled(PoolingMode::Cls, 1), ElementsAre(2, 20));
  EXPECT_THAT(pooled(PoolingMode::WeightedMean, 2), ElementsAre(6, -30));
}

// As torch does with a mask of zeros.
TEST(Pool, copes_with_no_token_left) {
  EXPECT_THAT(pooled(PoolingMode::Mean, 3), ElementsAre(0, 0));
  EXPECT_THAT(pooled(PoolingMode::LastToken, 3), ElementsAre(0, 0));
  EXPECT_THAT(pooled(PoolingMode::Cls, 3), ElementsAre(1, 10));
}

}  // namespace
}  // namespace transmuter
