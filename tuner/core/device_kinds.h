#pragma once

#include <span>
#include <string_view>

namespace gktune {

// A kind of device. Code that serves all backends asks for these properties and compares no names.
struct DeviceKind {
  std::string_view name;          // in --device, DeviceInfo and databases
  bool is_gpu = false;            // a machine may have several, numbered from 0
  std::string_view toolkit;       // that a build needs for it; empty: none
  std::string_view architecture;  // an example of those to compile for without a device: sm_90; empty: none
};

// All kinds, those that a build lacks too. The host is the first.
std::span<const DeviceKind> known_device_kinds();
// Null if there is none of that name.
const DeviceKind* find_device_kind(std::string_view name);
// False for a recording, and for a kind that is not known.
bool is_gpu(std::string_view kind);
// The kind with architectures of such names: sm_120a. Null if there is none.
const DeviceKind* kind_of_architecture(std::string_view architecture);

}  // namespace gktune
