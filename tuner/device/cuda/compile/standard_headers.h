#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gktune {

// The headers of the standard library that kernels often include, by name, with their texts: NVRTC
// has none of them. A header whose contents NVRTC knows is empty; the others include the toolkit's
// own library for device code.
std::vector<std::pair<std::string, std::string>> standard_headers();

}  // namespace gktune
