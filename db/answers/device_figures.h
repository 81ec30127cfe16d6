#pragma once

#include "db/answers/identity.h"
#include "tuner/core/device_info.h"
#include "tuner/core/named_values.h"

namespace gktune {

// Every number and switch of a device that is not part of its identity: limits, sizes, clocks.
NamedValues figures_of(const DeviceInfo& device);
// Sets those that are named. Other names are ignored: a newer version may store more.
void set_figures(DeviceInfo& device, const NamedValues& figures);
// A device as far as its identity and figures describe it.
DeviceInfo device_info(const DeviceIdentity& identity, const NamedValues& figures);

}  // namespace gktune
