#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "engine/devices.h"
#include "engine/host_times.h"
#include "gktune/result.h"
#include "tuner/core/trial.h"
#include "tuner/device/device.h"
#include "tuner/space/definition.h"
#include "tuner/tune.h"

namespace gktune {

// The shares of the time that device and compilers were busy, from 0 to 1.
struct Busy {
  double device = 0, compilers = 0;
  double inputs_s = 0, reference_s = 0;  // of the device's time: to make inputs, and to run the reference
};

// The result of tuning one problem.
struct Tuning {
  std::string kernel;
  Problem problem;
  std::string device;
  Objective objective;
  bool is_checked = true;              // against a reference
  bool is_checked_by_default = false;  // the reference is the default configuration
  Count valid, cartesian;              // numbers of configurations
  std::vector<Trial> trials;           // all trials of the study, earlier ones first
  std::int64_t earlier = 0;
  bool is_fresh = false;  // earlier trials were ignored
  double budget_s = 0;    // 0: none
  double spent_s = 0;     // used of the budget, earlier runs included
  TuneOutcome outcome;
  std::optional<Config> default_config;
  double seconds = 0;  // of this run
  std::optional<Busy> busy;
  HostTimes hosts;
  std::optional<Playoff> decided_by;  // the stored playoff that was held or taken over
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

// The factor by which the winner is better than another configuration.
struct Gain {
  // The source of the other configuration's time. The winner's time is from the playoff if one was held.
  enum class Source { playoff, search };
  double factor = 0;
  // `search`: the two times were measured at different moments, so the factor is rough.
  Source source = Source::playoff;
};
struct Gains {
  std::optional<Gain> over_median;  // the median of the successful configurations
  std::optional<Gain> over_default;
};
Gains gains_of(const Tuning& tuning);

// The time in microseconds, or the metric in its own unit. NaN if the trial has none.
double score_of(const Trial& trial, const Objective& objective);

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
  std::string host_name = {};                      // empty: hosts are not compared
};

// Tunes one problem: resumes earlier trials, searches, stores each trial when it ends, and stores the winner.
// Programs that tune the same study at the same time claim configurations, so that each is measured once.
Result<Tuning, EngineError> tune_problem(const TuneRequest& request, const TuneSite& site);

}  // namespace gktune
