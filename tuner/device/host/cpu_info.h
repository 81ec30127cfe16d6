#pragma once

#include <string>

#include "tuner/core/device_info.h"

namespace gktune {

// The machine's processor, in the terms of a device. What kernels may ask for is what a large GPU has, so
// that a space is the same here and there.
DeviceInfo cpu_info(const std::string& compiler_version);

}  // namespace gktune
