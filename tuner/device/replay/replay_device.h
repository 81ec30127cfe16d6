#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "tuner/device/device.h"

namespace gktune {

// Answers from trials that were recorded before: for developing and testing strategies where nothing needs to
// run.
class ReplayDevice : public Device {
 public:
  // Trials keep their own problems; of one configuration and problem the last counts.
  ReplayDevice(DeviceInfo info, std::vector<Trial> recorded, std::size_t capacity);

  const DeviceInfo& info() const override { return info_; }
  std::size_t capacity() const override { return capacity_; }
  void submit(Candidate candidate) override;
  // First in, first out. A configuration that was never recorded is an invalid one.
  Trial next() override;
  std::size_t withdraw() override;
  std::vector<Samples> playoff(const Problem& problem, std::vector<Config> finalists, Rounds rounds) override;

 private:
  const Trial* find(const Config& config, const Problem& problem) const;

  DeviceInfo info_;
  std::size_t capacity_;
  std::map<std::string, Trial> recorded_;
  std::deque<Candidate> in_flight_;
};

}  // namespace gktune
