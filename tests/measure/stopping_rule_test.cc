#include "tuner/measure/stopping_rule.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

using State = StoppingRule::State;

constexpr NoiseLevel kQuiet{.deviation = 0.002, .straggler_share = 0.01};

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

TEST(StoppingRule, steady_samples_on_a_quiet_device_end_at_the_minimum_number) {
  const StoppingRule rule = fed({.cutoff = {.noise = kQuiet}}, Samples(100, 5.0));
  EXPECT_EQ(rule.state(), State::precise);
  EXPECT_EQ(rule.samples().size(), 3u);
}

TEST(StoppingRule, steady_samples_on_an_unknown_device_end_by_their_own_spread) {
  const StoppingRule rule = fed({}, Samples(1000, 5.0));
  EXPECT_EQ(rule.state(), State::precise);
  EXPECT_EQ(rule.samples().size(), 10u);
}

TEST(StoppingRule, a_noisy_configuration_needs_more_samples) {
  Samples samples;
  for (int i = 0; i < 500; ++i) samples.push_back(i % 2 == 0 ? 100 : 101);
  const StoppingRule rule = fed({.cutoff = {.noise = kQuiet}}, samples);
  EXPECT_EQ(rule.state(), State::precise);
  EXPECT_GT(rule.samples().size(), 5u);
  EXPECT_LT(rule.samples().size(), 50u);
}

TEST(StoppingRule, endless_noise_ends_at_the_maximum_number_of_samples) {
  Samples samples;
  for (int i = 0; i < 500; ++i) samples.push_back(i % 2 == 0 ? 100 : 200);
  const StoppingRule rule = fed({.max_samples = 50}, samples);
  EXPECT_EQ(rule.state(), State::enough_samples);
  EXPECT_EQ(rule.samples().size(), 50u);
}

TEST(StoppingRule, a_clearly_slower_configuration_ends_after_two_samples) {
  const StoppingRule rule = fed({.cutoff = {{.median_us = 50}, kQuiet}}, Samples(100, 60.0));
  EXPECT_EQ(rule.state(), State::dropped_early);
  EXPECT_EQ(rule.samples().size(), 2u);
}

TEST(StoppingRule, one_far_slower_sample_is_enough_after_a_far_slower_execution) {
  const StoppingRule rule =
      fed({.cutoff = {{.median_us = 500}, kQuiet}, .execution_us = 1500}, Samples(100, 1400.0));
  EXPECT_EQ(rule.state(), State::dropped_early);
  EXPECT_EQ(rule.samples().size(), 1u);
}

TEST(StoppingRule, one_slower_sample_is_enough_after_a_slower_execution_if_noise_is_known) {
  const StoppingOptions known{.cutoff = {{.median_us = 500}, kQuiet}, .execution_us = 800};
  const StoppingRule rule = fed(known, Samples(100, 700.0));
  EXPECT_EQ(rule.state(), State::dropped_early);
  EXPECT_EQ(rule.samples().size(), 1u);
  EXPECT_EQ(fed(known, {550}).state(), State::sampling);
  const StoppingOptions unknown{.cutoff = {{.median_us = 500}, NoiseLevel()}, .execution_us = 800};
  EXPECT_EQ(fed(unknown, {700}).state(), State::sampling);
}

TEST(StoppingRule, neither_a_slow_execution_nor_a_slow_sample_alone_is_enough) {
  const StoppingOptions slow_execution{.cutoff = {{.median_us = 500}, kQuiet}, .execution_us = 1e6};
  EXPECT_EQ(fed(slow_execution, {500}).state(), State::sampling);
  const StoppingOptions slow_sample{.cutoff = {{.median_us = 500}, kQuiet}, .execution_us = 520};
  EXPECT_EQ(fed(slow_sample, {1e6}).state(), State::sampling);
  const StoppingOptions unknown{.cutoff = {{.median_us = 500}, kQuiet}};
  EXPECT_EQ(fed(unknown, {1e6}).state(), State::sampling);
}

TEST(StoppingRule, an_execution_is_hopeless_only_if_no_interruption_explains_its_time) {
  const Cutoff cutoff{{.median_us = 1000}, kQuiet};
  EXPECT_TRUE(is_hopeless(49'000, cutoff));
  EXPECT_FALSE(is_hopeless(15'000, cutoff));
  EXPECT_FALSE(is_hopeless(0, cutoff));
  EXPECT_FALSE(is_hopeless(1e9, {}));  // nobody leads
}

TEST(StoppingRule, frequent_stragglers_need_more_than_two_samples) {
  NoiseLevel noise = kQuiet;
  noise.straggler_share = 0.2;
  noise.deviation = 0.01;
  const StoppingRule rule = fed({.cutoff = {{.median_us = 50}, noise}}, Samples(100, 60.0));
  EXPECT_EQ(rule.state(), State::dropped_early);
  EXPECT_EQ(rule.samples().size(), 5u);
}

TEST(StoppingRule, a_difference_within_the_tolerance_does_not_drop_a_configuration) {
  const StoppingRule rule = fed({.cutoff = {{.median_us = 50}, kQuiet}}, Samples(100, 50.2));
  EXPECT_EQ(rule.state(), State::precise);
}

TEST(StoppingRule, an_uncertain_leader_is_given_a_margin) {
  const StoppingOptions options{.cutoff = {{.median_us = 50, .error = 0.05}, kQuiet}};
  EXPECT_EQ(fed(options, Samples(100, 54.0)).state(), State::precise);
  EXPECT_EQ(fed(options, Samples(100, 60.0)).state(), State::dropped_early);
}

TEST(StoppingRule, a_slow_first_sample_does_not_drop_a_configuration) {
  Samples samples{80};
  samples.resize(100, 49.0);
  const StoppingRule rule = fed({.cutoff = {{.median_us = 50}, kQuiet}}, samples);
  EXPECT_NE(rule.state(), State::dropped_early);
}

TEST(StoppingRule, the_time_limit_applies_only_after_the_minimum_number) {
  Samples samples;
  for (int i = 0; i < 50; ++i) samples.push_back(i % 2 == 0 ? 1e6 : 2e6);
  const StoppingRule rule = fed({.max_seconds = 1, .hard_seconds = 100}, samples, 0.6);
  EXPECT_EQ(rule.state(), State::enough_time);
  EXPECT_EQ(rule.samples().size(), 3u);
}

TEST(StoppingRule, very_long_runs_end_early) {
  const StoppingRule rule = fed({.hard_seconds = 20}, Samples(50, 11e6), 11);
  EXPECT_EQ(rule.state(), State::enough_time);
  EXPECT_EQ(rule.samples().size(), 2u);
}

}  // namespace
}  // namespace gktune
