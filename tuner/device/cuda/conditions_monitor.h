#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tuner/core/trial.h"
#include "tuner/device/cuda/driver/nvml.h"

namespace gktune {

// Reads a card's conditions again and again in a thread of its own: a read can take milliseconds, which is as
// long as a trial.
class ConditionsMonitor {
 public:
  explicit ConditionsMonitor(Nvml nvml);
  ConditionsMonitor(const ConditionsMonitor&) = delete;
  ConditionsMonitor& operator=(const ConditionsMonitor&) = delete;
  ~ConditionsMonitor();

  // The latest reading.
  Conditions latest() const;
  // For the energy counter, which is read when it is asked for.
  const Nvml& nvml() const { return nvml_; }

 private:
  void read_on();

  Nvml nvml_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ending_ = false;
  Conditions latest_;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace gktune
