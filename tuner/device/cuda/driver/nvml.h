#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "gktune/result.h"
#include "tuner/core/dynamic_library.h"
#include "tuner/core/trial.h"

namespace gktune {

// NVIDIA's management library, for one card. It is only read.
class Nvml {
 public:
  // Without a card only the driver's version can be asked for.
  static Result<std::unique_ptr<Nvml>> open(const std::string& pci_bus_id);
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() { functions_.shutdown(); }

  // Clock, temperature, power and throttling; the energy stays unknown. An idle card is not throttled.
  Conditions conditions() const;
  // The card's energy counter, which is slow to read: 3 ms, at times 16.
  std::optional<double> energy_j() const;
  // "580.159.04"
  std::string driver_version() const;

 private:
  // Declared here because not every toolkit has the library's header. These have not changed in ten years.
  struct Functions {
    FunctionLoader find;
    int (*init)() = find("nvmlInit_v2");
    int (*shutdown)() = find("nvmlShutdown");
    int (*handle_by_bus_id)(const char*, void**) = find("nvmlDeviceGetHandleByPciBusId_v2");
    int (*clock)(void*, int, unsigned*) = find("nvmlDeviceGetClockInfo");
    int (*temperature)(void*, int, unsigned*) = find("nvmlDeviceGetTemperature");
    int (*power)(void*, unsigned*) = find("nvmlDeviceGetPowerUsage");
    int (*energy)(void*, unsigned long long*) = find("nvmlDeviceGetTotalEnergyConsumption");
    int (*throttle_reasons)(void*, unsigned long long*) = find("nvmlDeviceGetCurrentClocksThrottleReasons");
    int (*driver_version)(char*, unsigned) = find("nvmlSystemGetDriverVersion");
    const char* (*error_string)(int) = find("nvmlErrorString");
  };

  explicit Nvml(const Functions& functions) : functions_(functions) {}

  Functions functions_;
  void* card_ = nullptr;
};

// Reads a card's conditions again and again in a thread of its own: a read can take milliseconds, which is as
// long as a trial, and opening the library longer. Conditions are unknown before the first read and
// without the library.
class ConditionsMonitor {
 public:
  explicit ConditionsMonitor(std::string pci_bus_id);
  ConditionsMonitor(const ConditionsMonitor&) = delete;
  ConditionsMonitor& operator=(const ConditionsMonitor&) = delete;
  ~ConditionsMonitor();

  // The latest reading.
  Conditions latest() const;
  // For the energy counter, which is read on request. Waits until the library is open. Null: it cannot be
  // used.
  const Nvml* nvml() const;

 private:
  void read_on();

  const std::string pci_bus_id_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::unique_ptr<Nvml> nvml_;  // does not change once it is tried
  bool is_tried_ = false;       // to open the library
  bool is_ending_ = false;
  Conditions latest_;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace gktune
