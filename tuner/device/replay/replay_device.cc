#include "tuner/device/replay/replay_device.h"

#include <utility>

namespace gktune {

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
  trial.out_of_race = trial.ok() && trial.timing.median_us > candidate.cutoff_us;
  clock_s_ += trial.compile_s + trial.run_s;
  if (complete_) complete_(trial);
  return trial;
}

std::size_t ReplayDevice::withdraw() {
  const std::size_t count = in_flight_.size();
  in_flight_.clear();
  return count;
}

std::vector<Samples> ReplayDevice::playoff(const Problem& problem, std::vector<Config> finalists,
                                           Rounds rounds, const PlayoffWatch& go_on) {
  int done = 0;
  while (go_on(done) && done < rounds.count) ++done;
  std::vector<Samples> samples;
  for (const Config& config : finalists) {
    const Trial* recorded = recorded_->find(config, problem);
    samples.push_back(recorded ? recorded->samples_us : Samples{});
    if (std::ssize(samples.back()) > done) samples.back().resize(static_cast<std::size_t>(done));
  }
  return samples;
}

}  // namespace gktune
