#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gktune {

// The headers of the standard library that kernels are wont to include, by name, with their texts: NVRTC has
// none of them. What it knows by itself needs no more than to be named; the rest is the toolkit's own library
// for device code.
std::vector<std::pair<std::string, std::string>> standard_headers();

}  // namespace gktune
