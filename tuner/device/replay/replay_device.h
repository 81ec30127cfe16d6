#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/core/trial.h"
#include "tuner/device/device.h"

namespace gktune {

// Trials to be played back, by configuration and problem. A trial without a problem stands for every problem.
class RecordedTrials {
 public:
  // The last trial of each configuration and problem counts.
  explicit RecordedTrials(std::vector<Trial> trials);
  // Null if it was not recorded.
  const Trial* find(const Config& config, const Problem& problem) const;

 private:
  std::unordered_map<std::string, Trial> trials_;
};

// Plays back recorded trials, so that a search needs no hardware. Its clock charges what each trial cost when
// it was recorded.
class ReplayDevice : public Device {
 public:
  // Completes a trial that was found, for the problem it is replayed for.
  using Complete = std::function<void(Trial&)>;

  ReplayDevice(DeviceInfo info, std::shared_ptr<const RecordedTrials> recorded, std::size_t capacity,
               Complete complete = {});
  ReplayDevice(DeviceInfo info, std::vector<Trial> recorded, std::size_t capacity, Complete complete = {})
      : ReplayDevice(std::move(info), std::make_shared<const RecordedTrials>(std::move(recorded)), capacity,
                     std::move(complete)) {}

  const DeviceInfo& info() const override { return info_; }
  std::size_t capacity() const override { return capacity_; }
  void submit(Candidate candidate) override;
  // First in, first out. A configuration that was not recorded is invalid.
  Trial next() override;
  std::size_t withdraw() override;
  std::vector<Trial> playoff(const Problem& problem, std::vector<Config> finalists, Rounds rounds,
                             const PlayoffWatch& go_on) override;

  // Makes each trial take this long, as on a device.
  void set_pace(double seconds) { pace_s_ = seconds; }
  // The cost of all trials so far, one after the other.
  double clock_s() const { return clock_s_; }

 private:
  DeviceInfo info_;
  std::shared_ptr<const RecordedTrials> recorded_;
  std::size_t capacity_;
  Complete complete_;
  std::deque<Candidate> in_flight_;
  double clock_s_ = 0, pace_s_ = 0;
};

}  // namespace gktune
