#include "tuner/device/cuda/conditions_monitor.h"

#include <chrono>
#include <utility>

namespace gktune {
namespace {

// A trial takes at least some milliseconds, and clocks change slowly.
constexpr auto kPause = std::chrono::milliseconds(20);

}  // namespace

ConditionsMonitor::ConditionsMonitor(std::string pci_bus_id)
    : pci_bus_id_(std::move(pci_bus_id)), thread_([this] { read_on(); }) {}

ConditionsMonitor::~ConditionsMonitor() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Conditions ConditionsMonitor::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

const Nvml* ConditionsMonitor::nvml() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_tried_; });
  return nvml_ ? &*nvml_ : nullptr;
}

void ConditionsMonitor::read_on() {
  auto nvml = Nvml::open(pci_bus_id_);
  std::unique_lock lock(mutex_);
  if (nvml) nvml_.emplace(*std::move(nvml));
  is_tried_ = true;
  changed_.notify_all();
  while (nvml_ && !is_ending_) {
    lock.unlock();
    const Conditions conditions = nvml_->conditions();
    lock.lock();
    latest_ = conditions;
    changed_.wait_for(lock, kPause, [this] { return is_ending_; });
  }
}

}  // namespace gktune
