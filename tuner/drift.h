#pragma once

#include <vector>

#include "tuner/core/trial.h"

namespace gktune {

// What became of one candidate's time while the others were measured. Clocks, heat and whoever shares the
// device change it; what was measured early and late may be compared as far as this stayed the same.
struct Drift {
  Config config;                 // the reference candidate
  std::vector<double> times_us;  // its medians, the first from its own trial

  bool is_known() const { return times_us.size() > 1; }
  // Its least and greatest time, as shares of the first, less one: -0.01 is one per cent faster. Only where
  // it is known.
  double least() const;
  double greatest() const;
};

}  // namespace gktune
