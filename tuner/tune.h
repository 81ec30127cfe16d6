#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/trial.h"
#include "tuner/device/device.h"
#include "tuner/search/searcher.h"

namespace gktune {

double wall_clock_s();

// Number of failed trials by status.
using Failures = std::map<Status, std::int64_t>;
Failures failures_of(const std::vector<Trial>& trials);

// Limits besides the end of the space. 0: none.
struct TuneLimits {
  std::int64_t trials = 0;  // earlier ones included
  double seconds = 0;       // of this call, playoff included
  // Ends the run after `patience` trials in a row that did not save this share of the best objective, unless
  // the searcher expects to save it; 0: never.
  double gain = 0;
  std::int64_t patience = 60;
};

// How candidates are measured and when measuring one stops.
struct TimingPolicy {
  enum class Cutoff { none, learned };
  Cutoff cutoff = Cutoff::learned;  // learned: candidates that are unlikely to win get few samples
  int finalists = 5;                // the number of candidates in the playoff; under 2: no playoff
  Rounds rounds;
  double tolerance = 0.005;  // of the playoff: finalists that differ by less are equally good
  int drift_interval = 20;   // trials between two measurements of the reference candidate; 0: none
};

struct TuneTask {
  Problem problem;
  std::vector<Trial> earlier;  // of the same study: not repeated
  bool is_decided = false;     // their playoff was held: hold another only after new trials
  TuneLimits limits;
  TimingPolicy timing;
  std::function<double()> clock_s = wall_clock_s;  // the clock of the limits, in seconds
  std::optional<Config> default_config;  // joins the playoff, so that the gain compares like with like
  // Sets metrics and objective from a trial's timing; false: they cannot be evaluated. Without it the
  // objective is the median.
  std::function<bool(Trial&)> evaluate;
};

// How the time of one re-timed configuration changed during a run. Clocks, heat and other users of the device
// change it. The less it changed, the better can early and late measurements be compared.
struct Drift {
  Config config;                 // the reference candidate
  std::vector<double> times_us;  // its medians, the first from its own trial

  bool is_known() const { return times_us.size() > 1; }
  // The least and greatest time relative to the first: -0.01 is one per cent faster. Requires is_known().
  double least() const;
  double greatest() const;
};

struct PlayoffProgress {
  std::size_t finalists = 0;
  int rounds_done = 0, rounds = 0;
};

// How several tuners share the work on a study. Without these functions this tuner has it for itself.
struct Sharing {
  // False: another tuner measures the configuration, or has measured it.
  std::function<bool(const Config&)> claim;
  // The trials of other tuners since the last call.
  std::function<std::vector<Trial>()> learn;
  // The configurations that other tuners were measuring at the last call of `learn`.
  std::function<std::vector<Config>()> claimed;
  // The configuration by which hosts are compared, if it has to be timed on this host now.
  std::function<std::optional<Config>()> reference;
  // A trial as this host would have measured it.
  std::function<Trial(const Trial&)> relative;
  // All trials, as this host would have measured them. None: this host has measured all.
  std::function<std::optional<std::vector<Trial>>()> relative_trials;
  // Before the playoff, with the best configuration so far. None: another tuner has held one with it, or
  // `stop` ended the wait for another tuner's playoff. Configurations: repeat the playoff of these.
  std::function<std::optional<std::vector<Config>>(const Config&)> claim_playoff;
};

struct TuneEvents {
  std::function<void(const Trial&)> on_trial;    // as each ends
  // Each trial of another tuner. False: it takes the place of an earlier trial of its configuration.
  std::function<bool(const Trial&)> on_learned;
  std::function<void(const Trial&)> on_reference;  // the trial of Sharing::reference
  std::function<void(const Trial&)> on_revoked;  // a trial that went well fails when it is timed again
  std::function<void(const PlayoffProgress&)> on_playoff;  // at least every tenth of a second
  // Called between trials: true ends the run after the trials that already run. Called during the
  // playoff: true ends it at once.
  std::function<bool()> stop;
  Sharing sharing = {};
};

struct TuneOutcome {
  GKTUNE_MEMBER_ENUM(End, exhausted, trials, seconds, converged, stopped, reference_failed, machine_failed)
  End end = End::exhausted;
  // A later run may continue.
  bool was_cut_short() const { return end == End::stopped || end == End::machine_failed; }
  std::int64_t measured = 0;  // in this call
  std::int64_t learned = 0;   // trials of other tuners in the meantime
  // Configurations that the machine failed for, and the reason of the last. They are no
  // trials: a later run tries them.
  std::int64_t unjudged = 0;
  std::string why_unjudged;
  std::optional<Trial> best;  // of these and the earlier ones; the playoff's first if there was one
  // Trials with the samples, timing, metrics and objective of the playoff, best first: the finalists, and the
  // default and the median configuration if they are not far slower. Empty: there was no playoff.
  std::vector<Trial> playoff;
  std::optional<std::string> failure;  // why the reference, the machine or the strategy failed, if one did
  Drift drift;
};

// The machine counts as failing after it failed for this number of configurations in a row.
inline constexpr int kMostUnjudged = 3;

// Asks the searcher, submits to the device, waits and tells the searcher until a limit is reached. Then holds
// the playoff. Times the reference candidate between the others.
TuneOutcome tune(const TuneTask& task, Searcher& searcher, Device& device, const TuneEvents& events);

}  // namespace gktune
