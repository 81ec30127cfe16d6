#include "tuner/device/host/execute/kernel_place.h"

#include <fmt/format.h>

namespace gktune {

std::string format_index(kernel::uint3 index) { return fmt::format("({},{},{})", index.x, index.y, index.z); }

std::string format_site(kernel::Site site) { return fmt::format("{}:{}", site.file, site.line); }

}  // namespace gktune
