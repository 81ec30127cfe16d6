#include "tuner/measure/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gktune {
namespace {

// Samples of finalists with these medians, until the playoff is decided or has that many rounds.
std::vector<Samples> played(const std::vector<double>& medians_us, double deviation,
                            PlayoffOptions options = {}, std::uint64_t seed = 3,
                            std::size_t most_rounds = 1000) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(1, deviation);
  std::vector<Samples> samples(medians_us.size());
  while (samples.front().size() < most_rounds && !is_playoff_decided(samples, options)) {
    for (std::size_t i = 0; i < medians_us.size(); ++i) samples[i].push_back(medians_us[i] * noise(random));
  }
  return samples;
}

std::size_t winner(const std::vector<Samples>& samples) {
  std::vector<double> medians;
  for (const Samples& each : samples) medians.push_back(summarize(each).median_us);
  return static_cast<std::size_t>(std::ranges::min_element(medians) - medians.begin());
}

TEST(PlayoffRule, clear_differences_are_decided_in_the_fewest_rounds) {
  const auto samples = played({120, 100, 150}, 0.001);
  EXPECT_EQ(winner(samples), 1u);
  EXPECT_EQ(samples[0].size(), 5u);
}

TEST(PlayoffRule, equal_finalists_are_decided_when_they_are_known_to_be_equal) {
  std::size_t rounds = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto samples = played({100, 100}, 0.004, {.deviation = 0.004}, seed);
    EXPECT_LT(samples[0].size(), 200u);
    rounds += samples[0].size();
  }
  EXPECT_GT(rounds / 50, 5u);
}

TEST(PlayoffRule, a_finalist_that_is_faster_by_more_than_the_tolerance_wins) {
  int won = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    if (winner(played({101, 100, 101, 101}, 0.005, {}, seed)) == 1) ++won;
  }
  EXPECT_GE(won, 196);
}

TEST(PlayoffRule, endless_noise_is_never_decided) {
  EXPECT_EQ(played({100, 100, 100}, 0.3, {}, 3, 20)[0].size(), 20u);
}

TEST(PlayoffRule, drift_affects_all_finalists_alike) {
  std::vector<Samples> samples(2);
  for (int round = 0; !is_playoff_decided(samples, {.deviation = 0.001}); ++round) {
    const double drift = 1 + 0.1 * round;
    samples[0].push_back(101 * drift);
    samples[1].push_back(100 * drift);
  }
  EXPECT_EQ(samples[0].size(), 5u);
}

TEST(PlayoffRule, one_lucky_sample_does_not_decide) {
  EXPECT_FALSE(is_playoff_decided({{50}, {100}}, {}));
  EXPECT_FALSE(
      is_playoff_decided({{50, 110, 110, 110, 110}, {110, 110, 110, 110, 110}}, {.deviation = 0.05}));
}

TEST(PlayoffRule, finalists_that_failed_do_not_count) {
  EXPECT_TRUE(is_playoff_decided({{}, Samples(5, 100.0), Samples(5, 150.0)}, {}));
  EXPECT_FALSE(is_playoff_decided({{}, {}}, {}));
  EXPECT_FALSE(is_playoff_decided({}, {}));
}

}  // namespace
}  // namespace gktune
