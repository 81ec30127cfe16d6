#pragma once

#include <string>
#include <vector>

#include "db/answers/device_identity.h"
#include "tuner/core/result.h"

namespace gktune {

// The device with this name, else the only device whose name contains the text. Ignores case.
Result<DeviceIdentity> find_device(const std::string& text, const std::vector<DeviceIdentity>& devices);

}  // namespace gktune
