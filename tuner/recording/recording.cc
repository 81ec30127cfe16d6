#include "tuner/recording/recording.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gktune {
namespace {

// The listed values that occur, then the others that occur in ascending order.
void keep_occurring_values(Parameter& parameter, const std::vector<Trial>& trials) {
  std::set<Value> occurring;
  for (const Trial& trial : trials) occurring.insert(*trial.config.find(parameter.name));
  std::vector<Value> kept;
  for (Value& value : parameter.values) {
    if (occurring.erase(value) > 0) kept.push_back(std::move(value));
  }
  kept.insert(kept.end(), occurring.begin(), occurring.end());
  parameter.values = std::move(kept);
}

}  // namespace

Result<Recording> complete(Recording recording) {
  if (recording.trials.empty()) return Error{"no configuration is recorded"};
  for (Trial& trial : recording.trials) {
    for (const Parameter& parameter : recording.parameters) {
      if (trial.config.find(parameter.name) == nullptr)
        return Error{"configuration " + trial.config.str() + " has no value of '" + parameter.name + "'"};
    }
    if (trial.config.size() != recording.parameters.size())
      return Error{"configuration " + trial.config.str() + " has other parameters than the others"};
    trial.config = in_order_of(recording.parameters, trial.config);
    trial.problem = recording.problem;
  }

  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < recording.trials.size(); ++i) last[recording.trials[i].config.json()] = i;
  if (last.size() < recording.trials.size()) {
    std::set<std::size_t> kept;
    for (const auto& [config, i] : last) kept.insert(i);
    std::vector<Trial> trials;
    std::vector<std::string> keys;
    for (const std::size_t i : kept) {
      trials.push_back(std::move(recording.trials[i]));
      keys.push_back(std::move(recording.keys[i]));
    }
    recording.trials = std::move(trials);
    recording.keys = std::move(keys);
  }
  for (Parameter& parameter : recording.parameters) keep_occurring_values(parameter, recording.trials);
  return recording;
}

Space space_of(const Recording& recording) {
  std::vector<std::map<Value, std::uint32_t>> ranks;
  for (const Parameter& parameter : recording.parameters) {
    auto& of_values = ranks.emplace_back();
    for (const Value& value : parameter.values)
      of_values.emplace(value, static_cast<std::uint32_t>(of_values.size()));
  }
  std::vector<Space::Ranks> listed;
  for (const Trial& trial : recording.trials) {
    Space::Ranks& row = listed.emplace_back();
    for (std::size_t i = 0; i < ranks.size(); ++i) row.push_back(ranks[i].at(trial.config.value(i)));
  }
  return Space::of(recording.parameters, std::move(listed));
}

}  // namespace gktune
