#pragma once

#include <string>
#include <vector>

#include "db/identity.h"
#include "tuner/core/device_info.h"
#include "tuner/core/result.h"

namespace gktune {

// What the database knows a device by.
DeviceIdentity identity_of(const DeviceInfo& device);

// The one of that name, or the only one whose name has the text in it, whatever the case.
Result<DeviceIdentity> find_device(const std::string& text, const std::vector<DeviceIdentity>& devices);

}  // namespace gktune
