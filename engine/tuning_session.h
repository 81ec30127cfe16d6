#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "db/database.h"
#include "engine/devices.h"
#include "engine/tuning.h"
#include "gktune/result.h"
#include "tuner/device/device.h"
#include "tuner/space/definition.h"
#include "tuner/tune.h"

namespace gktune {

// The tuning of one problem of a space file.
struct TuneRequest {
  enum class Earlier { resumed, ignored };
  enum class Related { used, ignored };
  const Definition& definition;
  Problem problem;
  std::string strategy;
  NamedValues options = {};  // of the strategy
  std::uint64_t seed = 0;
  TuneLimits limits = {};  // earlier runs included
  TimingPolicy timing = {};
  double compilers = 1, devices = 1;  // number that work in parallel
  Earlier earlier = Earlier::resumed;
  // May the search learn from other problems, devices and versions of the kernel.
  Related related = Related::used;
};

struct RunEvents {
  std::function<void(const Trial&)> on_trial;            // when a trial of this run ends
  std::function<void(const TuneProgress&)> on_progress;  // after each trial and during the playoff
  std::function<void(const Tuning&)> on_tuned;           // after each problem
  // An error of one file or problem; the others are tuned.
  std::function<void(const EngineError&)> on_error;
  std::function<bool()> stop;  // see TuneEvents
  // Called before the first trial of a problem with a description of the search.
  std::function<void(const std::string&)> on_search;
};

// The device to measure on and the store to resume from.
struct TuneSite {
  Device& device;
  Database& store;
  std::int64_t session = 0;
  RunEvents events = {};
  std::function<double()> clock_s = wall_clock_s;  // the device's clock
};

// Tunes one problem: resumes earlier trials, searches, stores each trial when it ends, and stores the winner.
// Programs that tune the same study at the same time claim configurations, so that each is measured once.
Result<Tuning, EngineError> tune_problem(const TuneRequest& request, const TuneSite& site);

}  // namespace gktune
