#include "db/device_identity.h"

namespace gktune {

DeviceIdentity cuda_device(std::string_view name, int major, int minor, int multiprocessors) {
  return {"cuda", std::string(name), "sm_" + std::to_string(major) + std::to_string(minor), multiprocessors};
}

}  // namespace gktune
