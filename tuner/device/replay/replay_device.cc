#include "tuner/device/replay/replay_device.h"

#include <chrono>
#include <thread>
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

ReplayDevice::ReplayDevice(DeviceInfo info, std::shared_ptr<const RecordedTrials> recorded,
                           std::size_t capacity, Complete complete)
    : info_(std::move(info)),
      recorded_(std::move(recorded)),
      capacity_(capacity),
      complete_(std::move(complete)) {}

void ReplayDevice::submit(Candidate candidate) { in_flight_.push_back(std::move(candidate)); }

Trial ReplayDevice::next() {
  Candidate candidate = std::move(in_flight_.front());
  in_flight_.pop_front();
  if (pace_s_ > 0) std::this_thread::sleep_for(std::chrono::duration<double>(pace_s_));
  const Trial* recorded = recorded_->find(candidate.config, candidate.problem);
  Trial trial = recorded ? *recorded : Trial();
  trial.config = std::move(candidate.config);
  trial.problem = std::move(candidate.problem);
  if (!recorded) {
    trial.status = Status::invalid;
    trial.message = "this configuration was not recorded";
    return trial;
  }
  trial.id = 0;
  StoppingRule rule({.cutoff = candidate.cutoff ? *candidate.cutoff : Cutoff()});
  for (double us : trial.samples_us) {
    if (rule.add(us, 0) != StoppingRule::State::sampling) break;
  }
  trial.is_dropped_early = rule.state() == StoppingRule::State::dropped_early;
  clock_s_ += trial.compile_s + trial.run_s;
  if (complete_) complete_(trial);
  return trial;
}

std::size_t ReplayDevice::withdraw() {
  const std::size_t count = in_flight_.size();
  in_flight_.clear();
  return count;
}

std::vector<Trial> ReplayDevice::playoff(const Problem& problem, std::vector<Config> finalists, Rounds rounds,
                                         const PlayoffWatch& go_on) {
  std::vector<Samples> samples(finalists.size());
  bool goes_on = go_on(samples);
  for (int round = 0; round < rounds.count && goes_on; ++round) {
    for (std::size_t i = 0; i < finalists.size(); ++i) {
      const Trial* recorded = recorded_->find(finalists[i], problem);
      const auto at = static_cast<std::size_t>(round);
      if (recorded != nullptr && at < recorded->samples_us.size())
        samples[i].push_back(recorded->samples_us[at]);
    }
    goes_on = go_on(samples);
  }
  std::vector<Trial> trials(finalists.size());
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    trials[i].config = std::move(finalists[i]);
    trials[i].samples_us = std::move(samples[i]);
  }
  return trials;
}

}  // namespace gktune
