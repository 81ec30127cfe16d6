#include "lab/score_scale.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

TEST(MonotoneCurve, agrees_with_scipy) {
  const MonotoneCurve curve({1, 2, 4, 5, 9}, {10, 7, 6.5, 8, 1});
  EXPECT_DOUBLE_EQ(curve.at(1), 10);
  EXPECT_NEAR(curve.at(1.5), 8.074095911949685, 1e-12);
  EXPECT_NEAR(curve.at(3), 6.622641509433962, 1e-12);
  EXPECT_NEAR(curve.at(4.5), 7.25, 1e-12);
  EXPECT_NEAR(curve.at(6), 7.721875, 1e-12);
  EXPECT_NEAR(curve.at(8), 4.540625, 1e-12);
  EXPECT_NEAR(curve.at(9), 1, 1e-12);
}

TEST(MonotoneCurve, two_points_make_a_line) { EXPECT_DOUBLE_EQ(MonotoneCurve({1, 3}, {10, 4}).at(1.5), 8.5); }

TEST(MonotoneCurve, does_not_overshoot_any_point) {
  const MonotoneCurve curve({0, 1, 2, 3}, {5, 5, 0, 0});
  for (double x = 0; x <= 3; x += 0.01) {
    EXPECT_LE(curve.at(x), 5);
    EXPECT_GE(curve.at(x), 0);
  }
}

}  // namespace
}  // namespace gktune
