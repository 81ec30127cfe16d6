#pragma once

#include <cstddef>
#include <limits>

#include "tuner/core/trial.h"
#include "tuner/measure/statistics.h"

namespace gktune {

// The configuration to beat.
struct Leader {
  double median_us = std::numeric_limits<double>::infinity();
  double error = 0;  // relative standard error of its median
  friend bool operator==(const Leader&, const Leader&) = default;
};

// Knowledge from earlier trials that decides when a configuration needs no more samples.
struct Cutoff {
  Leader leader;
  NoiseLevel noise;  // expected of single samples
  friend bool operator==(const Cutoff&, const Cutoff&) = default;
};

template <class Archive, Is<Cutoff> S>
void fields(Archive&& archive, S& cutoff) {
  archive("leader_us", cutoff.leader.median_us);
  archive("leader_error", cutoff.leader.error);
  archive("deviation", cutoff.noise.deviation);
  archive("straggler_share", cutoff.noise.straggler_share);
}

struct StoppingOptions {
  double tolerance = 0.005;  // relative: medians that differ by less are equally good
  Cutoff cutoff;
  std::size_t min_samples = 3;  // unless it cannot win
  std::size_t max_samples = 100;
  double max_seconds = 2;    // once there are min_samples
  double hard_seconds = 20;  // once there are two
  // The time of an execution before the samples, which may be too long by an interruption; 0: unknown.
  // Without it no configuration is given up after one sample.
  double execution_us = 0;
};

// The longest median that may be as good as the leader's.
double limit_us(const Leader& leader, double tolerance);
// True if an execution took so long that the configuration cannot win, even if the execution was interrupted.
bool is_hopeless(double execution_us, const Cutoff& cutoff);

// Says when enough samples of a configuration have been taken: it is unlikely to beat the leader, or its
// median is known within the tolerance. It reads no clock: the caller passes samples and durations.
class StoppingRule {
 public:
  enum class State { sampling, precise, dropped_early, enough_samples, enough_time };

  explicit StoppingRule(const StoppingOptions& options) : options_(options) {}

  // Adds a sample; `elapsed_s` counts from the first. Returns whether to go on.
  State add(double sample_us, double elapsed_s);
  State state() const { return state_; }
  // In the order they came.
  const Samples& samples() const { return samples_; }

 private:
  State judge(double elapsed_s) const;

  StoppingOptions options_;
  Samples samples_;
  double fastest_us_ = std::numeric_limits<double>::infinity();
  State state_ = State::sampling;
};

}  // namespace gktune
