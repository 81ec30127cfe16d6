#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/spaces.h"
#include "engine/tuning_session.h"

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
  double pace_s = 0;                    // that each trial of a recording takes
  std::string host_name, command_line;  // stored with the session
};

enum class RunEnd { complete, cut_short };

// Tunes every problem of the spaces on their device in one session of the store: resumes earlier trials,
// searches, holds the playoff and stores the winner.
RunEnd tune_spaces(const OpenedSpaces& spaces, const TuneSettings& settings, Database& store,
                   const RunEvents& events);

}  // namespace gktune
