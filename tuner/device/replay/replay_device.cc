#include "tuner/device/replay/replay_device.h"

#include <utility>

namespace gktune {
namespace {

std::string key_of(const Config& config, const Problem& problem) { return config.json() + problem.json(); }

}  // namespace

ReplayDevice::ReplayDevice(DeviceInfo info, std::vector<Trial> recorded, std::size_t capacity)
    : info_(std::move(info)), capacity_(capacity) {
  for (Trial& trial : recorded) {
    std::string key = key_of(trial.config, trial.problem);
    recorded_.insert_or_assign(std::move(key), std::move(trial));
  }
}

void ReplayDevice::submit(Candidate candidate) { in_flight_.push_back(std::move(candidate)); }

Trial ReplayDevice::next() {
  Candidate candidate = std::move(in_flight_.front());
  in_flight_.pop_front();
  if (const Trial* recorded = find(candidate.config, candidate.problem)) {
    Trial trial = *recorded;
    trial.out_of_race = trial.ok() && trial.timing.median_us > candidate.cutoff_us;
    return trial;
  }
  Trial trial;
  trial.config = std::move(candidate.config);
  trial.problem = std::move(candidate.problem);
  trial.status = Status::invalid;
  trial.message = "this configuration was not recorded";
  return trial;
}

std::size_t ReplayDevice::withdraw() {
  const std::size_t count = in_flight_.size();
  in_flight_.clear();
  return count;
}

std::vector<Samples> ReplayDevice::playoff(const Problem& problem, std::vector<Config> finalists,
                                           Rounds rounds) {
  std::vector<Samples> samples;
  for (const Config& config : finalists) {
    const Trial* recorded = find(config, problem);
    samples.push_back(recorded ? recorded->samples_us : Samples{});
    if (std::ssize(samples.back()) > rounds.count)
      samples.back().resize(static_cast<std::size_t>(rounds.count));
  }
  return samples;
}

const Trial* ReplayDevice::find(const Config& config, const Problem& problem) const {
  auto entry = recorded_.find(key_of(config, problem));
  return entry == recorded_.end() ? nullptr : &entry->second;
}

}  // namespace gktune
