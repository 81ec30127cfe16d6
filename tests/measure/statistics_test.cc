#include "tuner/measure/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace gktune {
namespace {

using Pair = std::pair<std::size_t, std::size_t>;

TEST(Statistics, median_intervals_match_published_tables) {
  // Tables of the sign test: n = 6: 1st and 6th; 10: 2nd and 9th; 20: 6th and 15th; 100: 40th and 61st.
  EXPECT_EQ(median_interval(6), Pair(0, 5));
  EXPECT_EQ(median_interval(10), Pair(1, 8));
  EXPECT_EQ(median_interval(20), Pair(5, 14));
  EXPECT_EQ(median_interval(100), Pair(39, 60));
}

TEST(Statistics, the_interval_of_few_samples_is_their_whole_range) {
  EXPECT_EQ(median_interval(1), Pair(0, 0));
  EXPECT_EQ(median_interval(3), Pair(0, 2));
  EXPECT_EQ(median_interval(5), Pair(0, 4));
}

TEST(Statistics, the_interval_has_no_jump_where_the_approximation_begins) {
  const auto exact = median_interval(1000), approximate = median_interval(1001);
  EXPECT_EQ(exact, Pair(468, 531));
  EXPECT_EQ(approximate, Pair(468, 532));
}

TEST(Statistics, the_interval_covers_the_true_median_as_often_as_claimed) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> skewed(0, 1);  // its median is 1
  int covered = 0;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds; ++round) {
    Samples samples(25);
    std::ranges::generate(samples, [&] { return skewed(random); });
    const Timing timing = summarize(samples);
    if (timing.low_us <= 1 && 1 <= timing.high_us) ++covered;
  }
  EXPECT_GE(covered, kRounds * 94 / 100);
}

TEST(Statistics, a_summary_holds_plain_numbers) {
  const std::vector<double> samples{4, 1, 3, 2};
  const Timing timing = summarize(samples);
  EXPECT_DOUBLE_EQ(timing.median_us, 2.5);
  EXPECT_DOUBLE_EQ(timing.min_us, 1);
  EXPECT_DOUBLE_EQ(timing.low_us, 1);
  EXPECT_DOUBLE_EQ(timing.high_us, 4);
  EXPECT_DOUBLE_EQ(timing.mean_us, 2.5);
  EXPECT_NEAR(timing.deviation_us, 1.2909944487358056, 1e-12);
}

TEST(Statistics, one_sample_is_its_own_summary) {
  const std::vector<double> samples{7};
  const Timing timing = summarize(samples);
  EXPECT_DOUBLE_EQ(timing.median_us, 7);
  EXPECT_DOUBLE_EQ(timing.deviation_us, 0);
}

TEST(Statistics, a_summary_of_no_samples_is_zero) { EXPECT_DOUBLE_EQ(summarize({}).median_us, 0); }

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
  EXPECT_TRUE(histogram_of({std::nan(""), INFINITY}, 4).edges.empty());
  EXPECT_TRUE(histogram_of({}, 4).counts.empty());
  EXPECT_TRUE(histogram_of({1, 2}, 0).counts.empty());
  EXPECT_EQ(histogram_of({1, std::nan(""), 1}, 4).counts, (std::vector<std::int64_t>{2}));
}

TEST(Histogram, a_range_wider_than_a_double_has_one_bin) {
  EXPECT_EQ(histogram_of({-1e308, 1.7e308}, 4).counts, (std::vector<std::int64_t>{2}));
}

}  // namespace
}  // namespace gktune
