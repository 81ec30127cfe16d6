#pragma once

#include <string_view>

namespace gktune {

// The version of this build, from project() in the root CMakeLists.txt: "0.1.0".
extern const std::string_view kVersion;

}  // namespace gktune
