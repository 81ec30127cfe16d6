#include "tuner/search/bayes/features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace gktune {
namespace {

Observation observed(std::uint16_t level, double objective, std::uint16_t study = 0, bool is_ok = true) {
  return {{level}, {{level}, study}, is_ok, objective, 0.1};
}

TEST(Targets, keep_the_order_of_times_and_spread_the_best) {
  const Targets targets =
      targets_of({observed(0, 100), observed(1, 101), observed(2, 120), observed(3, 200), observed(4, 201)});
  const Eigen::VectorXd times = targets.outputs.col(Targets::kTime);
  for (Eigen::Index i = 1; i < 5; ++i) EXPECT_LT(times[i - 1], times[i]);
  EXPECT_GT(times[1] - times[0], times[4] - times[3]);
  EXPECT_DOUBLE_EQ(targets.best, times[0]);
  EXPECT_NEAR(targets.log_objective_of(times[2]), std::log(120), 1e-9);
}

TEST(Targets, a_failure_counts_as_slow_but_not_as_slowest) {
  const Targets targets = targets_of({observed(0, 1), observed(1, 2), observed(2, 3), observed(3, 4),
                                      observed(4, 5), observed(5, 1000), observed(6, 0, 0, false)});
  const Eigen::VectorXd times = targets.outputs.col(Targets::kTime);
  EXPECT_GT(times[6], times[2]);
  EXPECT_LT(times[6], times[5]);
  EXPECT_DOUBLE_EQ(targets.outputs(6, Targets::kFailure), 1);
}

TEST(Targets, keep_the_order_of_a_maximised_metric) {
  const Targets targets = targets_of({observed(0, -900), observed(1, -500), observed(2, -10)});
  EXPECT_LT(targets.outputs(0, Targets::kTime), targets.outputs(1, Targets::kTime));
  EXPECT_LT(targets.outputs(1, Targets::kTime), targets.outputs(2, Targets::kTime));
}

TEST(Targets, are_finite_for_failures_only_and_for_equal_times) {
  EXPECT_TRUE(targets_of({observed(0, 0, 0, false), observed(1, 0, 0, false)}).outputs.allFinite());
  EXPECT_TRUE(targets_of({observed(0, 5), observed(1, 5), observed(2, 5)}).outputs.allFinite());
}

TEST(Targets, a_related_study_is_shifted_to_the_searched_one) {
  std::vector<Observation> observations;
  for (std::uint16_t i = 0; i < 6; ++i) observations.push_back(observed(i, 10 + i, 1));
  observations.push_back(observed(2, 2 * 12));
  observations.push_back(observed(4, 2 * 14));
  const Targets targets = targets_of(observations);
  EXPECT_NEAR(targets.outputs(2, Targets::kTime), targets.outputs(6, Targets::kTime), 1e-9);
  EXPECT_NEAR(targets.outputs(4, Targets::kTime), targets.outputs(7, Targets::kTime), 1e-9);
  EXPECT_DOUBLE_EQ(targets.best, targets.outputs(6, Targets::kTime));
}

TEST(Targets, a_further_observation_is_placed_on_the_scales_of_the_others) {
  std::vector<Observation> observations = {observed(0, 100), observed(1, 150), observed(2, 400)};
  Targets targets = targets_of(observations);
  const Targets before = targets;
  ASSERT_TRUE(targets.extend(observed(3, 150)));
  ASSERT_TRUE(targets.extend(observed(4, 0, 0, false)));
  ASSERT_EQ(targets.outputs.rows(), 5);
  EXPECT_DOUBLE_EQ(targets.outputs(3, Targets::kTime), before.outputs(1, Targets::kTime));
  EXPECT_NEAR(targets.outputs(3, Targets::kCost), 0, 1e-12);
  EXPECT_DOUBLE_EQ(targets.outputs(4, Targets::kFailure), 1);
  EXPECT_GT(targets.outputs(4, Targets::kTime), targets.outputs(0, Targets::kTime));
  EXPECT_DOUBLE_EQ(targets.best, before.best);
}

TEST(Targets, an_observation_that_changes_the_scales_is_not_added) {
  Targets targets = targets_of({observed(0, 100), observed(1, 150)});
  EXPECT_FALSE(targets.extend(observed(2, 99)));
  EXPECT_FALSE(targets.extend(observed(2, -1)));
  EXPECT_EQ(targets.outputs.rows(), 2);
  Targets of_failures = targets_of({observed(0, 0, 0, false)});
  EXPECT_FALSE(of_failures.extend(observed(2, 99)));
  Targets of_others = targets_of({observed(0, 100, 1)});
  EXPECT_FALSE(of_others.extend(observed(0, 120)));
}

TEST(Targets, a_sample_of_the_observations_holds_the_best) {
  std::vector<Observation> observations;
  for (std::uint16_t i = 0; i < 40; ++i) observations.push_back(observed(i, 100 + i * 7 % 40));
  std::mt19937_64 random(1);
  const Targets targets = targets_of(observations);
  const auto chosen = best_and_others(targets, 5, 10, random);
  const std::set<std::size_t> distinct(chosen.begin(), chosen.end());
  EXPECT_EQ(chosen.size(), 15u);
  EXPECT_EQ(distinct.size(), 15u);
  for (std::size_t i = 0; i < 40; ++i) {
    if (observations[i].objective < 105) {
      EXPECT_TRUE(distinct.contains(i)) << i;
    }
  }
  EXPECT_EQ(best_and_others(targets, 20, 20, random).size(), 40u);
}

}  // namespace
}  // namespace gktune
