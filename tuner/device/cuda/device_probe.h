#pragma once

#include <string>

#include "tuner/core/device_info.h"
#include "tuner/core/result.h"
#include "tuner/device/cuda/driver/driver.h"

namespace gktune {

// Asks the driver about a GPU. Makes no context.
Result<DeviceInfo> probe_gpu(const Driver& driver, int ordinal);

// The GPU's slot, as the management library names it: 0000:01:00.0. Empty: no such GPU.
std::string pci_bus_id(const Driver& driver, int ordinal);

}  // namespace gktune
