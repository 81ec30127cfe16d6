#include "tuner/analysis/forest.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace gktune {
namespace {

using Function = std::function<double(const std::vector<std::uint16_t>&)>;

// Every point of the grid, or those that `keep` accepts.
Observations grid(
    const std::vector<Observations::Factor>& factors, const Function& function,
    const std::function<bool()>& keep = [] { return true; }) {
  Observations observations;
  observations.factors = factors;
  std::vector<std::uint16_t> point(factors.size());
  for (bool goes_on = true; goes_on;) {
    if (keep()) observations.add(point, function(point));
    goes_on = false;
    for (std::size_t i = 0; i < point.size() && !goes_on; ++i) {
      goes_on = ++point[i] < factors[i].values;
      if (!goes_on) point[i] = 0;
    }
  }
  return observations;
}

double pair_share(const VarianceShares& shares, std::size_t first, std::size_t second) {
  for (const VarianceShares::Pair& pair : shares.pairs) {
    if (pair.first == first && pair.second == second) return pair.share;
  }
  return -1;
}

TEST(VarianceShares, a_sum_of_functions_is_explained_by_its_factors) {
  // Variances: 4 × 1.25 for the first (0, 2, 4, 6), 9 × 0.25 for the second (0, 3), 0 for the third.
  const auto shares = variance_shares(
      grid({{4, true}, {2, true}, {5, true}}, [](const auto& x) { return 2.0 * x[0] + 3.0 * x[1]; }));
  EXPECT_NEAR(shares.factors[0], 5 / 7.25, 1e-9);
  EXPECT_NEAR(shares.factors[1], 2.25 / 7.25, 1e-9);
  EXPECT_NEAR(shares.factors[2], 0, 1e-9);
  for (const auto& pair : shares.pairs) EXPECT_NEAR(pair.share, 0, 1e-9);
  EXPECT_NEAR(shares.rest, 0, 1e-9);
}

TEST(VarianceShares, a_product_of_signs_is_explained_by_the_pair_alone) {
  const auto shares = variance_shares(
      grid({{2, true}, {2, false}, {3, true}}, [](const auto& x) { return x[0] == x[1] ? 1.0 : -1.0; }));
  EXPECT_NEAR(shares.factors[0], 0, 1e-9);
  EXPECT_NEAR(shares.factors[1], 0, 1e-9);
  EXPECT_NEAR(pair_share(shares, 0, 1), 1, 1e-9);
  EXPECT_NEAR(pair_share(shares, 0, 2), 0, 1e-9);
  EXPECT_NEAR(shares.rest, 0, 1e-9);
}

TEST(VarianceShares, effects_of_three_factors_count_as_the_rest) {
  const auto shares = variance_shares(grid({{2, true}, {2, true}, {2, true}}, [](const auto& x) {
    return (x[0] + x[1] + x[2]) % 2 == 0 ? 1.0 : -1.0;
  }));
  EXPECT_NEAR(shares.rest, 1, 1e-9);
}

TEST(VarianceShares, an_unordered_factor_explains_its_whole_effect) {
  // The means of the names rise and fall: 5, 0, 5, 0, 5, 1.
  const std::vector<double> means = {5, 0, 5, 0, 5, 1};
  const auto shares =
      variance_shares(grid({{6, false}, {4, true}}, [&](const auto& x) { return means[x[0]] + 0.5 * x[1]; }));
  double mean = 0, variance = 0;
  for (const double each : means) mean += each / 6;
  for (const double each : means) variance += (each - mean) * (each - mean) / 6;
  const double second = 0.25 * 1.25;
  EXPECT_NEAR(shares.factors[0], variance / (variance + second), 1e-9);
  EXPECT_NEAR(shares.factors[1], second / (variance + second), 1e-9);
}

TEST(VarianceShares, a_mixture_is_split_among_factors_and_pairs) {
  // x and y of -1, 0, 1: x has variance 2/3, x y has 4/9.
  const auto shares = variance_shares(grid({{3, true}, {3, true}}, [](const auto& p) {
    const double x = p[0] - 1.0, y = p[1] - 1.0;
    return x + x * y;
  }));
  const double total = 2.0 / 3 + 4.0 / 9;
  EXPECT_NEAR(shares.factors[0], 2.0 / 3 / total, 1e-9);
  EXPECT_NEAR(shares.factors[1], 0, 1e-9);
  EXPECT_NEAR(pair_share(shares, 0, 1), 4.0 / 9 / total, 1e-9);
}

TEST(VarianceShares, a_part_of_the_grid_gives_nearly_the_same_shares) {
  std::mt19937_64 random(7);
  const auto shares = variance_shares(grid(
      {{5, true}, {4, false}, {3, true}, {4, true}, {2, false}},
      [](const auto& x) { return 1.0 * x[0] + (x[1] == 2 ? 3.0 : 0.0); }, [&] { return random() % 3 == 0; }));
  const double second = 9 * 0.25 * 0.75, total = 2 + second;
  EXPECT_NEAR(shares.factors[0], 2 / total, 0.1);
  EXPECT_NEAR(shares.factors[1], second / total, 0.1);
  EXPECT_LT(shares.factors[2], 0.02);
  EXPECT_LT(shares.rest, 0.1);
  EXPECT_GT(shares.predicted, 0.9);
}

TEST(VarianceShares, noise_cannot_be_predicted) {
  std::mt19937_64 random(3);
  const auto shares = variance_shares(grid({{8, true}, {8, true}, {4, false}}, [&](const auto&) {
    return std::normal_distribution<double>()(random);
  }));
  EXPECT_LT(shares.predicted, 0.2);
  EXPECT_GE(shares.predicted, 0);
  EXPECT_GT(shares.rest, 0.3);
}

TEST(VarianceShares, a_constant_has_no_variance_to_share) {
  const auto shares = variance_shares(grid({{3, true}, {4, false}}, [](const auto&) { return 0.1; }));
  EXPECT_EQ(shares.factors, (std::vector<double>{0, 0}));
  EXPECT_EQ(pair_share(shares, 0, 1), 0);
  EXPECT_EQ(shares.rest, 0);
}

TEST(VarianceShares, all_shares_are_zero_without_factors_or_a_second_observation) {
  Observations one;
  one.factors = {{3, true}, {1, false}};
  one.add(std::vector<std::uint16_t>{2, 0}, 1.5);
  EXPECT_EQ(variance_shares(one).factors, (std::vector<double>{0, 0}));
  EXPECT_EQ(variance_shares(one).predicted, -1);
  one.points.clear(), one.targets.clear();
  EXPECT_EQ(variance_shares(one).factors, (std::vector<double>{0, 0}));
  Observations bare;
  for (const double target : {1.0, 2.0}) bare.add({}, target);
  EXPECT_TRUE(variance_shares(bare).factors.empty());
}

TEST(VarianceShares, a_factor_with_one_value_explains_nothing) {
  const auto shares = variance_shares(grid({{1, true}, {4, true}}, [](const auto& x) { return 1.0 * x[1]; }));
  EXPECT_EQ(shares.factors[0], 0);
  EXPECT_NEAR(shares.factors[1], 1, 1e-9);
}

TEST(VarianceShares, a_large_grid_is_sampled) {
  // 10^12 points, of which 2,000 were observed.
  Observations observations;
  observations.factors.assign(12, {10, true});
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint16_t> point(12);
    for (auto& place : point) place = static_cast<std::uint16_t>(random() % 10);
    observations.add(point, 3.0 * point[4] + point[9]);
  }
  const auto shares = variance_shares(observations);
  EXPECT_NEAR(shares.factors[4], 0.9, 0.06);
  EXPECT_NEAR(shares.factors[9], 0.1, 0.06);
  EXPECT_GT(shares.predicted, 0.9);
}

}  // namespace
}  // namespace gktune
