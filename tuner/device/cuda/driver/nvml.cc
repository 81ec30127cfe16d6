#include "tuner/device/cuda/driver/nvml.h"

#include <array>
#include <chrono>
#include <utility>

namespace gktune {
namespace {

constexpr int kSuccess = 0, kClockOfMultiprocessors = 1, kTemperatureOfGpu = 0;
// Power cap, hardware slowdown, thermal slowdown by software and by hardware, power brake.
constexpr unsigned long long kSlowedDown = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

}  // namespace

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& pci_bus_id) {
  auto library = GKTUNE_TRY(DynamicLibrary::open("NVIDIA's management library", {"libnvidia-ml.so.1"},
                                                 {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"}));
  const Functions functions{FunctionLoader(library)};
  GKTUNE_TRY(functions.find.done());

  if (const int code = functions.init(); code != kSuccess) {
    return Error{library.path() + " does not start: " + functions.error_string(code)};
  }
  std::unique_ptr<Nvml> nvml(new Nvml(functions));
  if (pci_bus_id.empty()) return nvml;
  if (const int code = functions.handle_by_bus_id(pci_bus_id.c_str(), &nvml->card_); code != kSuccess) {
    return Error{library.path() + " does not know the card " + pci_bus_id + ": " +
                 functions.error_string(code)};
  }
  return nvml;
}

Conditions Nvml::conditions() const {
  Conditions conditions;
  unsigned value = 0;
  if (functions_.clock(card_, kClockOfMultiprocessors, &value) == kSuccess) conditions.clock_mhz = value;
  if (functions_.temperature(card_, kTemperatureOfGpu, &value) == kSuccess) conditions.temperature_c = value;
  if (functions_.power(card_, &value) == kSuccess) conditions.power_w = value / 1e3;
  unsigned long long reasons = 0;
  if (functions_.throttle_reasons(card_, &reasons) == kSuccess) {
    conditions.throttled = (reasons & kSlowedDown) != 0;
  }
  return conditions;
}

std::optional<double> Nvml::energy_j() const {
  unsigned long long millijoules = 0;
  if (functions_.energy(card_, &millijoules) != kSuccess) return std::nullopt;
  return static_cast<double>(millijoules) / 1e3;
}

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  const bool ok = functions_.driver_version(text.data(), static_cast<unsigned>(text.size())) == kSuccess;
  return ok ? text.data() : "";
}

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
  return nvml_.get();
}

void ConditionsMonitor::read_on() {
  auto nvml = Nvml::open(pci_bus_id_);
  std::unique_lock lock(mutex_);
  if (nvml) nvml_ = *std::move(nvml);
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
