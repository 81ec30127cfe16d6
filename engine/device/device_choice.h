#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/result.h"

namespace gktune {

// The device that a user asks for: auto, host, cuda, cuda:1, cuda:all.
struct DeviceChoice {
  enum class Kind { automatic, host, cuda, architecture, replay };
  enum class Extent { one, all };
  Kind kind = Kind::automatic;
  int ordinal = 0;
  Extent extent = Extent::one;
  std::string recording = {};     // the file to replay
  std::string architecture = {};  // sm_90: compiled for, and not present
  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

Result<DeviceChoice> parse_device(std::string_view text);

}  // namespace gktune
