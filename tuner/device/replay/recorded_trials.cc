#include "tuner/device/replay/recorded_trials.h"

#include <utility>

namespace gktune {
namespace {

std::string key_of(const Config& config, const Problem& problem) { return config.json() + problem.json(); }

}  // namespace

RecordedTrials::RecordedTrials(std::vector<Trial> trials) {
  for (Trial& trial : trials) {
    std::string key = key_of(trial.config, trial.problem);
    trials_.insert_or_assign(std::move(key), std::move(trial));
  }
}

const Trial* RecordedTrials::find(const Config& config, const Problem& problem) const {
  auto entry = trials_.find(key_of(config, problem));
  if (entry == trials_.end() && !problem.empty()) entry = trials_.find(key_of(config, {}));
  return entry == trials_.end() ? nullptr : &entry->second;
}

}  // namespace gktune
