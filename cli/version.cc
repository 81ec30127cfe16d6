#include "cli/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner/core/version.h"

namespace gktune {

std::vector<std::string> device_kinds() {
  std::vector<std::string> kinds = {"host"};
#ifdef GKTUNE_WITH_CUDA
  kinds.emplace_back("cuda");
#endif
  return kinds;
}

std::string version_text() {
  return fmt::format("gktune {} (devices: {})", kVersion, fmt::join(device_kinds(), ", "));
}

}  // namespace gktune
