#include "tuner/device/cuda/conditions_monitor.h"

#include <chrono>
#include <utility>

namespace gktune {
namespace {

// A trial takes at least some milliseconds, and clocks change slowly.
constexpr auto kPause = std::chrono::milliseconds(20);

}  // namespace

ConditionsMonitor::ConditionsMonitor(Nvml nvml)
    : nvml_(std::move(nvml)), latest_(nvml_.conditions()), thread_([this] { read_on(); }) {}

ConditionsMonitor::~ConditionsMonitor() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

Conditions ConditionsMonitor::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

void ConditionsMonitor::read_on() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kPause, [this] { return is_ending_; })) {
    lock.unlock();
    const Conditions conditions = nvml_.conditions();
    lock.lock();
    latest_ = conditions;
  }
}

}  // namespace gktune
