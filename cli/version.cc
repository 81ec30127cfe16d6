#include "cli/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gktune {

std::string tool_version() { return GKTUNE_VERSION; }

std::vector<std::string> device_kinds() {
  std::vector<std::string> kinds = {"host"};
#ifdef GKTUNE_WITH_CUDA
  kinds.emplace_back("cuda");
#endif
  return kinds;
}

std::string version_text() {
  return fmt::format("gktune {} (devices: {})", tool_version(), fmt::join(device_kinds(), ", "));
}

}  // namespace gktune
