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

// The speedup of a kernel whose time is that of another one times `ratio`, as a judge asks for it: after each
// ten rounds until it is decided. The clock drifts, and some samples are interrupted.
Speedup simulated(double ratio, double effect, std::mt19937& random, std::size_t most = 3000) {
  std::normal_distribution<double> noise(0, 0.02);
  std::uniform_real_distribution<double> luck(0, 1);
  Samples candidate, other;
  Speedup speedup;
  while (candidate.size() < most && speedup.relation == Relation::undecided) {
    for (int i = 0; i < 10; ++i) {
      const double drift = 100 + 0.05 * static_cast<double>(candidate.size());
      const auto sample = [&] { return drift * std::exp(noise(random)) * (luck(random) < 0.03 ? 3 : 1); };
      candidate.push_back(ratio * sample());
      other.push_back(sample());
    }
    speedup = speedup_of(candidate, other, effect);
  }
  return speedup;
}

TEST(SpeedupOf, a_kernel_is_not_called_different_from_itself) {
  std::mt19937 random(1);
  int different = 0, equivalent = 0;
  for (int run = 0; run < 1000; ++run) {
    const Relation relation = simulated(1, 0.01, random).relation;
    different += relation == Relation::faster || relation == Relation::slower ? 1 : 0;
    equivalent += relation == Relation::equivalent ? 1 : 0;
  }
  EXPECT_EQ(different, 0);
  EXPECT_GE(equivalent, 990);
}

TEST(SpeedupOf, one_per_cent_is_found_if_half_of_it_counts) {
  std::mt19937 random(2);
  int slower = 0, faster = 0;
  for (int run = 0; run < 200; ++run) {
    slower += simulated(1.01, 0.005, random).relation == Relation::slower ? 1 : 0;
    faster += simulated(1 / 1.01, 0.005, random).relation == Relation::faster ? 1 : 0;
  }
  EXPECT_GE(slower, 190);
  EXPECT_GE(faster, 190);
}

TEST(SpeedupOf, the_interval_contains_the_factor_in_95_of_100_cases) {
  std::mt19937 random(3);
  int inside = 0;
  for (int run = 0; run < 1000; ++run) {
    const Speedup speedup = simulated(0.5, 1e-9, random, 20);
    inside += speedup.low <= 2 && 2 <= speedup.high ? 1 : 0;
  }
  EXPECT_GE(inside, 940);
}

TEST(SpeedupOf, few_samples_decide_nothing) {
  const Samples fast(15, 1.0), slow(15, 2.0);
  const Speedup speedup = speedup_of(fast, slow, 0.01);
  EXPECT_EQ(speedup.factor, 2);
  EXPECT_EQ(speedup.relation, Relation::undecided);
  EXPECT_FALSE(speedup.is_not_slower);
  EXPECT_EQ(speedup_of({}, slow, 0.01).factor, 0);
  EXPECT_EQ(speedup_of(Samples(16, 1.0), Samples(16, 2.0), 0.01).relation, Relation::faster);
}

TEST(SpeedupOf, a_speedup_within_the_smallest_effect_is_equivalent) {
  const Samples mine(20, 1.0), other(20, 1.005);
  EXPECT_EQ(speedup_of(mine, other, 0.01).relation, Relation::equivalent);
  EXPECT_EQ(speedup_of(mine, other, 0.001).relation, Relation::faster);
  EXPECT_EQ(speedup_of(other, mine, 0.001).relation, Relation::slower);
  EXPECT_FALSE(speedup_of(other, mine, 0.001).is_not_slower);
}

TEST(MeanOf, factors_are_multiplied_and_their_intervals_shrink) {
  const Speedup mean = mean_of({{2, 1.9, 2.1, Relation::faster}, {8, 7.6, 8.4, Relation::faster}}, 0.01);
  EXPECT_DOUBLE_EQ(mean.factor, 4);
  EXPECT_NEAR(mean.low, 4 / std::pow(2 / 1.9, std::sqrt(2) / 2), 1e-9);
  EXPECT_NEAR(mean.high, 4 * std::pow(1.05, std::sqrt(2) / 2), 1e-9);
  EXPECT_EQ(mean.relation, Relation::faster);
  const Speedup twice = {2, 1.99, 2.01, Relation::faster}, half = {0.5, 0.4975, 0.5025, Relation::slower};
  EXPECT_EQ(mean_of({twice, half}, 0.02).relation, Relation::equivalent);
}

TEST(MeanOf, the_mean_of_undecided_speedups_is_undecided) {
  const Speedup open = {2, 1.99, 2.01}, faster = {2, 1.99, 2.01, Relation::faster, true};
  EXPECT_EQ(mean_of({faster, open}, 0.01).relation, Relation::undecided);
  EXPECT_FALSE(mean_of({faster, open}, 0.01).is_not_slower);
  EXPECT_TRUE(mean_of({faster, faster}, 0.01).is_not_slower);
}

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
