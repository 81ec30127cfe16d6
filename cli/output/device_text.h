#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tuner/core/device_info.h"

namespace gktune {

// The device's properties as pairs of name and value. Unknown ones are left out.
std::vector<std::pair<std::string, std::string>> describe(const DeviceInfo& device);

}  // namespace gktune
