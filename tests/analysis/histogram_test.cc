#include "tuner/analysis/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace gktune {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Histogram, edges_of_positive_values_grow_by_equal_factors) {
  const Histogram histogram = histogram_of({1, 1.5, 3, 10, 100, 1000}, 3);
  ASSERT_EQ(histogram.edges.size(), 4u);
  EXPECT_DOUBLE_EQ(histogram.edges[0], 1);
  EXPECT_NEAR(histogram.edges[1], 10, 1e-9);
  EXPECT_NEAR(histogram.edges[2], 100, 1e-9);
  EXPECT_DOUBLE_EQ(histogram.edges[3], 1000);
  EXPECT_EQ(histogram.counts[0], 3);
  EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::int64_t{0}), 6);
}

TEST(Histogram, edges_of_other_values_have_equal_distances) {
  const Histogram histogram = histogram_of({-2, 0, 1, 2}, 2);
  EXPECT_EQ(histogram.edges, (std::vector<double>{-2, 0, 2}));
  EXPECT_EQ(histogram.counts, (std::vector<std::int64_t>{1, 3}));
}

TEST(Histogram, equal_values_share_one_bin) {
  const Histogram histogram = histogram_of({5, 5, 5}, 10);
  EXPECT_EQ(histogram.edges, (std::vector<double>{5, 5}));
  EXPECT_EQ(histogram.counts, (std::vector<std::int64_t>{3}));
}

TEST(Histogram, values_that_are_not_finite_are_left_out) {
  EXPECT_TRUE(histogram_of({std::nan(""), kInfinity}, 4).edges.empty());
  EXPECT_TRUE(histogram_of({}, 4).counts.empty());
  EXPECT_TRUE(histogram_of({1, 2}, 0).counts.empty());
  EXPECT_EQ(histogram_of({1, std::nan(""), 1}, 4).counts, (std::vector<std::int64_t>{2}));
}

TEST(Histogram, a_range_wider_than_a_double_has_one_bin) {
  EXPECT_EQ(histogram_of({-1e308, 1.7e308}, 4).counts, (std::vector<std::int64_t>{2}));
}

}  // namespace
}  // namespace gktune
