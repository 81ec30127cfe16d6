#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "db/store/trial_store.h"
#include "engine/device/open_device.h"
#include "engine/engine_error.h"
#include "engine/open_spaces.h"
#include "engine/tune_problem.h"
#include "engine/tuning.h"

namespace gktune {

// Settings of a tuning. The space file gives the settings that have no value here.
struct TuneSettings {
  WorkerSettings workers;
  std::optional<std::string> strategy;
  NamedValues options = {};            // of the strategy
  std::optional<Effort> effort;        // replaces the file's limits on trials and seconds too
  std::optional<std::int64_t> trials;  // of a problem, earlier ones included; 0: no limit
  std::optional<double> seconds;       // of a problem, earlier runs included; 0: no limit
  // Tuning ends when the model expects to save less than this share of the best time; 0: no limit. Without a
  // value, the effort gives it, unless trials or seconds are given.
  std::optional<double> gain;
  TuneRequest::Earlier earlier = TuneRequest::Earlier::resumed;
  TuneRequest::Related related = TuneRequest::Related::used;
  std::string host_name, command_line;  // stored with the session
};

struct RunEvents {
  std::function<void(const Trial&)> on_trial;            // see ProblemEvents
  std::function<void(const TuneProgress&)> on_progress;  // see ProblemEvents
  std::function<void(const Tuning&)> on_tuned;           // after each problem
  // An error of one file or problem; the others are tuned.
  std::function<void(const EngineError&)> on_error;
  std::function<bool()> stop;                            // see TuneEvents
  std::function<void(const std::string&)> on_search;     // see ProblemEvents
};

enum class RunEnd { complete, cut_short };

// Tunes every problem of the spaces on their device in one session of the store: resumes earlier trials,
// searches, holds the playoff and stores the winner.
RunEnd tune_spaces(const OpenedSpaces& spaces, const TuneSettings& settings, TrialStore& store,
                   const RunEvents& events);

}  // namespace gktune
