#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tuner/core/device_info.h"
#include "tuner/core/device_kinds.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// A text that identifies the machine's GPUs, its driver and the current boot. Opens no GPU. Empty if the
// driver does not list its GPUs; then each program asks the GPU itself.
std::string gpus_of_machine(const std::filesystem::path& proc = "/proc");

// Keeps descriptions of GPUs in files in the folder for compiled code, because asking a GPU takes a fifth of
// a second. A description is valid only on the same machine, until its next boot, and with the same settings.
class DeviceCache {
 public:
  // A cache that keeps nothing.
  DeviceCache() = default;
  // `settings` are the environment variables that decide which GPUs a program sees.
  DeviceCache(std::filesystem::path folder, const std::string& machine, const std::string& settings);

  std::optional<DeviceInfo> find(const BackendName& backend) const;
  void keep(const BackendName& backend, const DeviceInfo& info) const;
  void forget(const BackendName& backend) const;

 private:
  bool keeps(const BackendName& backend) const { return !key_.empty() && is_gpu(backend.kind); }
  std::filesystem::path path_of(const BackendName& backend) const;

  std::filesystem::path folder_;
  std::string key_;  // empty: nothing is kept
};

}  // namespace gktune
