#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/trial.h"
#include "tuner/space/definition.h"
#include "tuner/tune.h"

namespace gktune {

// Which share of the time each was at work, of 1.
struct Busy {
  double device = 0, compilers = 0;
};

// How the tuning of one problem went.
struct Tuning {
  std::string kernel;
  Problem problem;
  std::string device;
  Objective objective;
  std::string valid, cartesian;  // configurations, in digits: they may not fit in 64 bits
  std::vector<Trial> trials;     // all of the study, those of earlier runs first
  std::int64_t earlier = 0;
  double budget_s = 0;  // 0: none
  double spent_s = 0;   // of the budget, by this run and earlier ones
  TuneOutcome outcome;
  std::optional<Config> default_config;
  double seconds = 0;  // of this run
  std::optional<Busy> busy;
};

// How many times better the best is.
struct Gain {
  std::optional<double> over_median;  // of the configurations that went well
  std::optional<double> over_default;
};
Gain gain_of(const Tuning& tuning);

}  // namespace gktune
