#pragma once

#include "db/answers/kernel_space.h"
#include "tuner/core/device_info.h"
#include "tuner/space/definition.h"

namespace gktune {

// The part of a space file that the database keeps for the lookup.
KernelSpace kernel_space_of(const Definition& definition, const DeviceInfo& device);

}  // namespace gktune
