#include "tuner/measure/stopping_rule.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

using State = StoppingRule::State;

// Feeds samples until the rule ends, or until there are none left.
StoppingRule fed(const StoppingOptions& options, const Samples& samples, double seconds_each = 0) {
  StoppingRule rule(options);
  double elapsed_s = 0;
  for (double sample : samples) {
    elapsed_s += seconds_each;
    if (rule.add(sample, elapsed_s) != State::sampling) break;
  }
  return rule;
}

TEST(StoppingRule, steady_samples_end_at_the_least_number) {
  const StoppingRule rule = fed({}, Samples(100, 5.0));
  EXPECT_EQ(rule.state(), State::precise);
  EXPECT_EQ(rule.samples().size(), 10u);
}

TEST(StoppingRule, noise_asks_for_more_samples) {
  Samples samples;
  for (int i = 0; i < 500; ++i) samples.push_back(100 + (i % 7));
  StoppingOptions options;
  options.max_samples = 500;
  const StoppingRule rule = fed(options, samples);
  EXPECT_EQ(rule.state(), State::precise);
  EXPECT_GT(rule.samples().size(), 20u);
  EXPECT_LT(rule.samples().size(), 200u);
}

TEST(StoppingRule, endless_noise_ends_at_the_most_samples) {
  Samples samples;
  for (int i = 0; i < 500; ++i) samples.push_back(i % 2 == 0 ? 100 : 200);
  StoppingOptions options;
  options.max_samples = 50;
  const StoppingRule rule = fed(options, samples);
  EXPECT_EQ(rule.state(), State::enough_samples);
  EXPECT_EQ(rule.samples().size(), 50u);
}

TEST(StoppingRule, what_is_clearly_slower_ends_after_three) {
  StoppingOptions options;
  options.cutoff_us = 50;
  const StoppingRule rule = fed(options, Samples(100, 60.0));
  EXPECT_EQ(rule.state(), State::out_of_race);
  EXPECT_EQ(rule.samples().size(), 3u);
}

TEST(StoppingRule, what_may_still_win_is_not_cut_off_by_slow_first_samples) {
  StoppingOptions options;
  options.cutoff_us = 50;
  Samples samples{80, 80, 49};
  samples.resize(30, 49.0);
  const StoppingRule rule = fed(options, samples);
  EXPECT_EQ(rule.state(), State::precise);
  EXPECT_GE(rule.samples().size(), 10u);
}

TEST(StoppingRule, time_runs_out_only_after_the_least_number) {
  StoppingOptions options;
  options.max_seconds = 1;
  options.hard_seconds = 100;
  Samples samples;
  for (int i = 0; i < 50; ++i) samples.push_back(i % 2 == 0 ? 1e6 : 2e6);
  const StoppingRule rule = fed(options, samples, 0.5);
  EXPECT_EQ(rule.state(), State::enough_time);
  EXPECT_EQ(rule.samples().size(), 10u);
}

TEST(StoppingRule, very_long_runs_end_early) {
  StoppingOptions options;
  options.hard_seconds = 20;
  const StoppingRule rule = fed(options, Samples(50, 9e6), 9);
  EXPECT_EQ(rule.state(), State::enough_time);
  EXPECT_EQ(rule.samples().size(), 3u);
}

}  // namespace
}  // namespace gktune
