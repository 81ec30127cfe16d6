#pragma once

#include <string>

#include "tuner/device/host/include/gktune/abi.h"

namespace gktune {

// "(3,0,0)"
std::string format_index(kernel::uint3 index);
// "reduce.cu:42"
std::string format_site(kernel::Site site);

}  // namespace gktune
