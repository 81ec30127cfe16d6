#include "tuner/measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace gktune {
namespace {

Samples noisy_samples(std::size_t count, double deviation, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(1, deviation);
  Samples samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(100 * noise(random));
  return samples;
}

TEST(SamplingNoise, an_unknown_device_is_assumed_to_be_noisy) {
  EXPECT_EQ(SamplingNoise().level(), NoiseLevel{});
  SamplingNoise noise;
  noise.add(Samples{});
  noise.add(Samples{100});
  EXPECT_EQ(noise.level(), NoiseLevel{});
}

TEST(SamplingNoise, learns_the_deviation_of_samples) {
  for (const double deviation : {0.002, 0.02, 0.1}) {
    SamplingNoise noise;
    for (std::uint64_t trial = 0; trial < 100; ++trial) noise.add(noisy_samples(4, deviation, trial));
    EXPECT_NEAR(noise.level().deviation / deviation, 1, 0.25);
    EXPECT_LT(noise.level().straggler_share, 0.02);
  }
}

TEST(SamplingNoise, slow_drift_is_not_noise) {
  SamplingNoise noise;
  for (int trial = 0; trial < 50; ++trial) {
    Samples samples;
    for (int i = 0; i < 10; ++i) samples.push_back(100 * (1 + 0.0001 * i));
    noise.add(samples);
  }
  EXPECT_LT(noise.level().deviation, 0.001);
}

TEST(SamplingNoise, counts_stragglers_apart_from_ordinary_samples) {
  SamplingNoise noise;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Samples samples = noisy_samples(5, 0.002, trial);
    if (trial % 4 == 0) samples[2] *= 3;
    noise.add(samples);
  }
  EXPECT_NEAR(noise.level().straggler_share, 0.05, 0.02);
  EXPECT_LT(noise.level().deviation, 0.01);
}

TEST(NoiseLevel, stragglers_limit_the_certainty_of_few_samples) {
  const NoiseLevel noise{.deviation = 0.01, .straggler_share = 0.05};
  EXPECT_EQ(noise.excess(0.05), std::numeric_limits<double>::infinity());
  EXPECT_GT(noise.excess(0.06), noise.excess(0.3));
  EXPECT_NEAR(noise.excess(0.05 + 0.95 * 0.1587), 0.01, 1e-4);  // one deviation
  EXPECT_EQ(noise.excess(0.9), 0);
  EXPECT_EQ(noise.excess(1), 0);
}

TEST(SamplingNoise, times_of_zero_give_a_finite_deviation) {
  SamplingNoise noise;
  for (int i = 0; i < 20; ++i) noise.add(Samples{0, 0, 0});
  EXPECT_TRUE(std::isfinite(noise.level().deviation));
}

}  // namespace
}  // namespace gktune
