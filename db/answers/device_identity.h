#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gktune {

struct DeviceInfo;

// Identifies a device model. Trials of two devices with the same identity may be mixed.
struct DeviceIdentity {
  std::string kind;  // cuda, host, replay
  std::string name;
  std::string architecture;
  std::int64_t multiprocessors = 0;
  friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

// Takes name, major, minor and multiProcessorCount of cudaDeviceProp.
DeviceIdentity cuda_device(std::string_view name, int major, int minor, int multiprocessors);

// The part of a device that identifies it.
DeviceIdentity identity_of(const DeviceInfo& device);

}  // namespace gktune
