#pragma once

#include <vector>

#include "tuner/core/trial.h"

namespace gktune {

// How the time of one re-timed configuration changed during a run. Clocks, heat and other users of the device
// change it. Early and late measurements are comparable as far as it stayed the same.
struct Drift {
  Config config;                 // the reference candidate
  std::vector<double> times_us;  // its medians, the first from its own trial

  bool is_known() const { return times_us.size() > 1; }
  // The least and greatest time relative to the first: -0.01 is one per cent faster. Requires is_known().
  double least() const;
  double greatest() const;
};

}  // namespace gktune
