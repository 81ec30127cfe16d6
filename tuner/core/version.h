#pragma once

#include <string_view>

namespace gktune {

// Of this build: "0.1.0", as the project() of the root CMakeLists.txt has it.
extern const std::string_view kVersion;

}  // namespace gktune
