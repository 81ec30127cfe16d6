#pragma once

#include <string_view>
#include <vector>

#include "tuner/core/result.h"

namespace gktune {

// What --device says.
struct DeviceChoice {
  enum class Kind { automatic, host, cuda };
  enum class Extent { one, all };
  Kind kind = Kind::automatic;
  int ordinal = 0;
  Extent extent = Extent::one;
  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

Result<DeviceChoice> parse_device(std::string_view text);

}  // namespace gktune
