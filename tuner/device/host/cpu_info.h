#pragma once

#include <string>

#include "tuner/core/device_info.h"

namespace gktune {

// The machine's processor as a device. Its limits for kernels are those of a large GPU, so that a space is
// the same on both.
DeviceInfo cpu_info(const std::string& compiler_version);

}  // namespace gktune
