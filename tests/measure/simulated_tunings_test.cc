// Whole tunings with samples that were recorded on a GPU. The best configuration must stay in the search and
// win the playoff, although few samples of each configuration are taken.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "tuner/measure/statistics.h"
#include "tuner/measure/stopping_rule.h"

namespace gktune {
namespace {

constexpr double kTolerance = 0.005;
constexpr double kLaunchUs = 100;

// A configuration's median, and its samples relative to it.
struct Recorded {
  double median_us;
  Samples relative;
};

std::map<std::string, std::vector<Recorded>> recorded_samples() {
  std::map<std::string, std::vector<Recorded>> kernels;
  std::ifstream file(GKTUNE_SOURCE_DIR "/tests/measure/recorded_samples.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string kernel;
    words >> kernel;
    Recorded each;
    for (double us; words >> us;) each.relative.push_back(us);
    each.median_us = summarize(each.relative).median_us;
    for (double& us : each.relative) us /= each.median_us;
    kernels[kernel].push_back(std::move(each));
  }
  return kernels;
}

// Disturbances on top of the recorded noise.
struct Disturbance {
  const char* name;
  double straggler_share, drift, slow_first_share;
};

class SimulatedTuning {
 public:
  SimulatedTuning(const std::vector<Recorded>& kernel, const Disturbance& disturbance, std::uint64_t seed)
      : disturbance_(disturbance), random_(seed) {
    for (int i = 0; i < 20; ++i) {
      medians_us_.push_back(any(kernel).median_us);
      noise_.push_back(&any(kernel).relative);
    }
  }

  void search() {
    SamplingNoise noise;
    for (std::size_t i = 0; i < medians_us_.size(); ++i) {
      // The execution before the samples: the host may be interrupted, so it is often slower.
      const double execution_us = sample_us(i, 0.5) + kLaunchUs;
      StoppingRule rule(
          {.tolerance = kTolerance, .cutoff = {leader_, noise.level()}, .execution_us = execution_us});
      bool is_first = true;
      while (rule.state() == StoppingRule::State::sampling) {
        rule.add(sample_us(i, is_first ? disturbance_.slow_first_share : 0), 0);
        is_first = false;
      }
      samples_taken += rule.samples().size();
      const double deviation = std::max(noise.level().deviation, deviation_of_neighbours(rule.samples()));
      noise.add(rule.samples());
      const double median_us = summarize(rule.samples()).median_us;
      ranking_.push_back({median_us, i});
      if (rule.state() == StoppingRule::State::dropped_early) continue;
      survivors_.push_back(i);
      if (median_us < leader_.median_us)
        leader_ = {median_us, median_error(deviation, rule.samples().size())};
    }
    deviation_ = noise.level().deviation;
  }

  // The configuration that wins.
  std::size_t play_off() {
    std::ranges::sort(ranking_);
    const std::size_t finalists = std::min<std::size_t>(ranking_.size(), 8);
    std::vector<Samples> samples(finalists);
    for (int round = 0; round < 50; ++round) {
      if (is_playoff_decided(samples, {.tolerance = kTolerance, .deviation = deviation_})) break;
      for (std::size_t i = 0; i < finalists; ++i) samples[i].push_back(sample_us(ranking_[i].second, 0));
    }
    std::size_t winner = 0;
    for (std::size_t i = 1; i < finalists; ++i) {
      if (summarize(samples[i]).median_us < summarize(samples[winner]).median_us) winner = i;
    }
    return ranking_[winner].second;
  }

  double best_us() const { return *std::ranges::min_element(medians_us_); }
  bool is_among_best(std::size_t i) const { return medians_us_[i] <= best_us() * (1 + kTolerance); }
  bool best_survived() const {
    return std::ranges::any_of(survivors_, [&](std::size_t i) { return is_among_best(i); });
  }

  std::size_t samples_taken = 0;

 private:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  template <class T>
  const T& any(const std::vector<T>& values) {
    return values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random_)];
  }

  double sample_us(std::size_t i, double slow_share) {
    double us = medians_us_[i] * any(*noise_[i]);
    if (uniform() < disturbance_.straggler_share) us *= 1 + 2 * uniform() * uniform();
    if (uniform() < slow_share) us *= 1 + 0.2 * uniform();
    return us * (1 + disturbance_.drift * std::sin(++clock_ * 0.01));
  }

  Disturbance disturbance_;
  std::mt19937_64 random_;
  std::vector<double> medians_us_;
  std::vector<const Samples*> noise_;
  Leader leader_;
  std::vector<std::pair<double, std::size_t>> ranking_;
  std::vector<std::size_t> survivors_;
  double deviation_ = 0;
  int clock_ = 0;
};

class SimulatedTunings : public testing::TestWithParam<Disturbance> {};

// 840 tunings of each of four kernels under each of three disturbances.
TEST_P(SimulatedTunings, find_the_best_configuration_with_few_samples) {
  const int kTunings = 840;
  for (const auto& [name, kernel] : recorded_samples()) {
    int survived = 0, won = 0;
    std::size_t samples = 0;
    for (int i = 0; i < kTunings; ++i) {
      SimulatedTuning tuning(kernel, GetParam(), static_cast<std::uint64_t>(i));
      tuning.search();
      samples += tuning.samples_taken;
      survived += tuning.best_survived() ? 1 : 0;
      won += tuning.is_among_best(tuning.play_off()) ? 1 : 0;
    }
    EXPECT_GE(survived, kTunings * 0.995) << name;
    EXPECT_GE(won, kTunings * 0.97) << name;
    RecordProperty(name + "_samples_per_configuration",
                   std::to_string(static_cast<double>(samples) / kTunings / 20));
  }
}

INSTANTIATE_TEST_SUITE_P(Noise, SimulatedTunings,
                         testing::Values(Disturbance{"recorded", 0, 0, 0},
                                         Disturbance{"stragglers_and_slow_first_samples", 0.02, 0, 0.1},
                                         Disturbance{"drift_and_many_stragglers", 0.05, 0.003, 0.3}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace gktune
