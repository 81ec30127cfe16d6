#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/problem_space.h"
#include "cli/progress.h"
#include "cli/tuning.h"
#include "db/store.h"
#include "tuner/core/result.h"
#include "tuner/device/device.h"
#include "tuner/space/definition.h"

namespace gktune {

// What `gktune run` is to do with one problem of a space file.
struct TuneRequest {
  enum class Earlier { resumed, ignored };
  const Definition& definition;
  Problem problem;
  std::string strategy;
  std::uint64_t seed = 0;
  std::int64_t trials = 0;            // 0: no bound
  double budget_s = 0;                // of the search, earlier runs counted in; 0: no bound
  double compilers = 1, devices = 1;  // that work side by side
  Earlier earlier = Earlier::resumed;
};

// Where it happens.
struct TuneSite {
  Device& device;
  Store& store;
  std::int64_t session = 0;
  Progress& progress;
  std::function<bool()> stop;
};

using TuneFailure = SpaceFailure;

// Resumes, searches, stores each trial as it ends, and the best at the end.
Result<Tuning, TuneFailure> tune_problem(const TuneRequest& request, const TuneSite& site);

}  // namespace gktune
