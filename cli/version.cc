#include "cli/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/find_device.h"
#include "tuner/core/version.h"

namespace gktune {

std::string version_text() {
  return fmt::format("gktune {} (devices: {})", kVersion, fmt::join(device_kinds(), ", "));
}

}  // namespace gktune
