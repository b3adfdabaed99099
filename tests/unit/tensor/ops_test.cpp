#include "tensor/ops.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace transmuter {
namespace {

using ::testing::ElementsAre;

TEST(Softmax, sums_to_one_for_huge_and_tiny_logits) {
  std::vector<float> values{1000.0F, 999.0F, -1000.0F};
  softmax(values);
  EXPECT_NEAR(values[0], 0.7310586F, 1e-6);
  EXPECT_NEAR(values[1], 0.2689414F, 1e-6);
  EXPECT_EQ(values[2], 0.0F);
}

TEST(Softmax, leaves_nothing_as_it_is) {
  std::vector<float> none;
  softmax(none);
  EXPECT_TRUE(none.empty());
}

TEST(Sigmoid, saturates_without_overflow) {
  std::vector<float> values{0.0F, 200.0F, -200.0F};
  sigmoid(values);
  EXPECT_THAT(values, ElementsAre(0.5F, 1.0F, 0.0F));
}

TEST(L2Normalize, makes_length_one) {
  std::vector<float> values{3.0F, 4.0F};
  l2_normalize(values);
  EXPECT_THAT(values, ElementsAre(0.6F, 0.8F));
}

TEST(L2Normalize, leaves_zeros_as_they_are) {
  std::vector<float> values{0.0F, 0.0F};
  l2_normalize(values);
  EXPECT_THAT(values, ElementsAre(0.0F, 0.0F));
}

TEST(TopK, keeps_the_order_of_equal_values) {
  EXPECT_THAT(top_k(std::vector<float>{1.0F, 3.0F, 3.0F, 2.0F}, 0), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(top_k(std::vector<float>{1.0F, 3.0F, 3.0F, 2.0F}, 2), ElementsAre(1, 2));
  EXPECT_THAT(top_k(std::vector<float>{1.0F}, 9), ElementsAre(0));
}

}  // namespace
}  // namespace transmuter
