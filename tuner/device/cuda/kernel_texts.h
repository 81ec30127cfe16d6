#pragma once

#include <string_view>

namespace gktune {

// The sources of the kernels that gktune itself runs on a GPU; they travel inside the library.
extern const std::string_view kDeviceKernelsText, kComparisonText, kGeneratorText;

}  // namespace gktune
