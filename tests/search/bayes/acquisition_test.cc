#include "tuner/search/bayes/acquisition.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gktune {
namespace {

TEST(ExpectedImprovement, equals_the_gain_of_a_sure_prediction) {
  EXPECT_NEAR(expected_improvement(1.0, 1e-12, 3.0), 2.0, 1e-6);
  EXPECT_NEAR(expected_improvement(3.0, 1e-12, 1.0), 0.0, 1e-6);
}

TEST(ExpectedImprovement, is_a_share_of_the_deviation_if_the_prediction_equals_the_best) {
  EXPECT_NEAR(expected_improvement(1.0, 4.0, 1.0), 2 / std::sqrt(2 * M_PI), 1e-12);
}

TEST(ExpectedImprovement, grows_with_the_variance) {
  EXPECT_LT(expected_improvement(2.0, 0.1, 1.0), expected_improvement(2.0, 1.0, 1.0));
}

TEST(Worth, falls_with_cost_and_with_the_probability_of_failure) {
  EXPECT_DOUBLE_EQ(worth_of(1, 0, 0), 1);
  EXPECT_LT(worth_of(1, 1, 0), 1);
  EXPECT_DOUBLE_EQ(worth_of(1, 1, 0, 0), 1);
  EXPECT_LT(worth_of(1, 1, 0, 1), worth_of(1, 1, 0, 0.5));
  EXPECT_DOUBLE_EQ(worth_of(1, 0, 0.5), 0.5);
  EXPECT_GT(worth_of(1, 0, 2), 0);
  EXPECT_DOUBLE_EQ(worth_of(1, 0, -1), 1);
}

}  // namespace
}  // namespace gktune
