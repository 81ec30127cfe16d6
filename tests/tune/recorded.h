#pragma once

#include <functional>

#include "tuner/core/trial.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// A trial that took time_us each time.
inline Trial timed_trial(Config config, double time_us) {
  Trial trial;
  trial.config = std::move(config);
  trial.samples_us = Samples(20, time_us);
  trial.timing.median_us = time_us;
  trial.objective = time_us;
  trial.run_s = 0.01;
  return trial;
}

inline Trial failed_trial(Config config, Status status) {
  Trial trial;
  trial.config = std::move(config);
  trial.status = status;
  trial.run_s = 0.01;
  return trial;
}

// The trials that `trial_of` gives for x = 1 to `count`.
inline std::vector<Trial> recorded_line(std::int64_t count, const std::function<Trial(Config)>& trial_of) {
  std::vector<Trial> trials;
  for (std::int64_t x = 1; x <= count; ++x) trials.push_back(trial_of({{"x", x}}));
  return trials;
}

inline Space line_space(std::int64_t count) {
  Parameter x{.name = "x"};
  for (std::int64_t i = 1; i <= count; ++i) x.values.emplace_back(i);
  return Space::build({x}, {}, Scope()).value();
}

}  // namespace gktune
