#pragma once

#include <string>
#include <vector>

namespace gktune {

// The kinds of device in this build.
std::vector<std::string> device_kinds();
// gktune 0.1.0 (devices: host, cuda)
std::string version_text();

}  // namespace gktune
