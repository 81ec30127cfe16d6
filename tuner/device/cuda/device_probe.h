#pragma once

#include <string>

#include "tuner/core/device_info.h"
#include "tuner/core/result.h"
#include "tuner/device/cuda/driver.h"

namespace gktune {

// What the driver says of a GPU. Makes no context there.
Result<DeviceInfo> probe_gpu(const Driver& driver, int ordinal);

// The name of its slot, which the management library knows it by: 0000:01:00.0. Empty where there is no such
// GPU.
std::string pci_bus_id(const Driver& driver, int ordinal);

}  // namespace gktune
