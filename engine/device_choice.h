#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gktune/result.h"

namespace gktune {

// The device that a user asks for: auto, host, cuda, cuda:1, cuda:all, sm_90, replay:FILE.
struct DeviceChoice {
  enum class Kind { automatic, host, gpu, architecture, replay };
  enum class Extent { one, all };
  Kind kind = Kind::automatic;
  std::string gpu_kind = {};        // a name of DeviceKind
  std::optional<int> ordinal = {};  // of the GPU; empty: any
  Extent extent = Extent::one;
  std::string recording = {};     // the file to replay
  std::string architecture = {};  // sm_90: compile for it without the device
  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

Result<DeviceChoice> parse_device(std::string_view text);
enum class DeviceUse { run, compile };  // code can be compiled for a GPU that is not present
// The forms of devices for that use, with placeholders in brackets: "auto|host|cuda|cuda:all|cuda:[N]".
std::string device_forms(DeviceUse use);

}  // namespace gktune
