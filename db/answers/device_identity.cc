#include "db/answers/device_identity.h"

#include "tuner/core/device_info.h"

namespace gktune {

DeviceIdentity cuda_device(std::string_view name, int major, int minor, int multiprocessors) {
  return {"cuda", std::string(name), "sm_" + std::to_string(major) + std::to_string(minor), multiprocessors};
}

DeviceIdentity identity_of(const DeviceInfo& device) {
  return {device.kind, device.name, device.architecture, device.multiprocessors};
}

}  // namespace gktune
