#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gktune {

// What a device is in the database.
struct DeviceIdentity {
  std::string kind;  // cuda, host, replay
  std::string name;
  std::string architecture;
  std::int64_t multiprocessors = 0;
  friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

// From what the CUDA runtime calls name, major, minor and multiProcessorCount.
DeviceIdentity cuda_device(std::string_view name, int major, int minor, int multiprocessors);

}  // namespace gktune
