#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gktune/result.h"
#include "lab/score_scale.h"
#include "tuner/device/replay/replay_device.h"
#include "tuner/recording/recording.h"
#include "tuner/search/strategy.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// A recording that strategies are scored on.
class ScoredRecording {
 public:
  static Result<std::unique_ptr<ScoredRecording>> make(Recording recording);

  const Recording& recording() const { return recording_; }
  const Space& space() const { return space_; }
  const ScoreScale& scale() const { return scale_; }
  const std::shared_ptr<const RecordedTrials>& trials() const { return trials_; }
  // The index of the configuration's trial in the recording.
  std::size_t trial_of(const Config& config) const;

 private:
  ScoredRecording(Recording recording, ScoreScale scale);

  Recording recording_;
  ScoreScale scale_;
  Space space_;
  std::shared_ptr<const RecordedTrials> trials_;
  std::vector<std::size_t> trial_at_;  // by index in the space
};

// A strategy with its options.
struct Contender {
  std::string strategy;
  NamedValues options = {};
};

struct ContestRules {
  int repeats = 50;
  std::uint64_t seed = 0;
  std::size_t in_flight = 1;
  std::size_t threads = 0;                 // 0: one for each core
  std::vector<RelatedStudy> related = {};  // each run may learn from these
  std::function<bool()> stop = {};
  // Called after each run, by one thread at a time.
  std::function<void(std::size_t done, std::size_t total)> on_run = {};
};

// The runs of one contender on one recording, each with its own seed.
using ContestRuns = std::vector<ScoredRun>;

// Plays one run: the tuning loop over a device that replays the recording, until the budget is used up.
// Options that the strategy does not have are an error.
Result<ScoredRun> play(const Contender& contender, const ScoredRecording& recording, std::uint64_t seed,
                       std::size_t in_flight, const std::vector<RelatedStudy>& related = {});

// Plays every contender on every recording and returns runs[contender][recording]. The same rules give the
// same runs with any number of threads. Empty if `stop` ended it.
Result<std::vector<std::vector<ContestRuns>>> hold_contest(
    const std::vector<Contender>& contenders, const std::vector<std::unique_ptr<ScoredRecording>>& recordings,
    const ContestRules& rules);

}  // namespace gktune
