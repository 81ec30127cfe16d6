#pragma once

#include <string>
#include <vector>

#include "db/identity.h"
#include "tuner/core/device_info.h"
#include "tuner/core/result.h"

namespace gktune {

// The part of a device that identifies it in the database.
DeviceIdentity identity_of(const DeviceInfo& device);

// The device of that name, or the only one whose name contains the text. Ignores case.
Result<DeviceIdentity> find_device(const std::string& text, const std::vector<DeviceIdentity>& devices);

}  // namespace gktune
