#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "db/store/trial_store.h"
#include "engine/engine_error.h"
#include "engine/failures.h"
#include "engine/tuning.h"
#include "tuner/core/result.h"
#include "tuner/device/device.h"
#include "tuner/space/definition.h"
#include "tuner/tune.h"

namespace gktune {

// The tuning of one problem of a space file.
struct TuneRequest {
  enum class Earlier { resumed, ignored };
  const Definition& definition;
  Problem problem;
  std::string strategy;
  NamedValues options = {};  // of the strategy
  std::uint64_t seed = 0;
  std::int64_t trials = 0;            // earlier ones included; 0: no limit
  double budget_s = 0;                // earlier runs and the playoff included; 0: no limit
  double compilers = 1, devices = 1;  // number that work in parallel
  Earlier earlier = Earlier::resumed;
  // May the search learn from other problems, devices and versions of the kernel.
  enum class Related { used, ignored };
  Related related = Related::used;
  double gain = 0;  // see TuneLimits
  std::int64_t patience = TuneLimits().patience;
  TimingPolicy timing = {};
};

// Progress of the tuning of one problem.
struct TuneProgress {
  std::string kernel;
  Problem problem;
  std::int64_t done = 0;         // trials, earlier ones included
  std::int64_t done_before = 0;  // trials of earlier runs
  std::int64_t total = 0;        // 0: unknown
  std::optional<Trial> best;
  Failures failures;
  double elapsed_s = 0;
  std::optional<double> budget_s;
  std::optional<PlayoffProgress> playoff;  // has a value during the playoff
};

struct ProblemEvents {
  std::function<void(const TuneProgress&)> on_progress;  // after each trial and during the playoff
  std::function<bool()> stop;                            // see TuneEvents
  // Called once, before the first trial, with a description of the search.
  std::function<void(const std::string&)> on_search;
  std::function<void(const Trial&)> on_trial;            // called when a trial of this run ends
};

// The device to measure on and the store to resume from.
struct TuneSite {
  Device& device;
  TrialStore& store;
  std::int64_t session = 0;
  ProblemEvents events;
  std::function<double()> clock_s = {};  // the device's clock; empty: wall-clock time
  // A claim on a configuration expires this long after this program died; see TrialStore.
  std::chrono::milliseconds lease = std::chrono::seconds(15);
};

// Resumes earlier trials, searches, stores each trial when it ends, and stores the winner.
Result<Tuning, EngineError> tune_problem(const TuneRequest& request, const TuneSite& site);

}  // namespace gktune
