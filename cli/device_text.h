#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tuner/core/device_info.h"

namespace gktune {

// What the classic device query shows and what tuning needs to know, as words and figures. What a device does
// not tell is left out.
std::vector<std::pair<std::string, std::string>> describe(const DeviceInfo& device);

// What its memory bus can move at most, in GB/s; 0 where it is not known.
double peak_bandwidth(const DeviceInfo& device);

}  // namespace gktune
