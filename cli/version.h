#pragma once

#include <string>

namespace gktune {

// gktune 0.1.0 (devices: host, cuda)
std::string version_text();

}  // namespace gktune
