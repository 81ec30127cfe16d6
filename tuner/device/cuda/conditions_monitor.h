#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tuner/core/trial.h"
#include "tuner/device/cuda/driver/nvml.h"

namespace gktune {

// Reads a card's conditions again and again in a thread of its own: a read can take milliseconds, which is as
// long as a trial, and opening the library longer. Conditions are unknown until
// then, and without the library.
class ConditionsMonitor {
 public:
  explicit ConditionsMonitor(std::string pci_bus_id);
  ConditionsMonitor(const ConditionsMonitor&) = delete;
  ConditionsMonitor& operator=(const ConditionsMonitor&) = delete;
  ~ConditionsMonitor();

  // The latest reading.
  Conditions latest() const;
  // For the energy counter, which is read when it is asked for. Waits until the library is
  // open. Null: it cannot be used.
  const Nvml* nvml() const;

 private:
  void read_on();

  const std::string pci_bus_id_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::optional<Nvml> nvml_;  // does not change once it is tried
  bool is_tried_ = false;     // to open the library
  bool is_ending_ = false;
  Conditions latest_;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace gktune
