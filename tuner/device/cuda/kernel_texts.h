#pragma once

#include "tuner/core/embedded_file.h"

namespace gktune {

// The sources of the kernels that gktune itself runs on a GPU; they travel inside the library.
std::span<const EmbeddedFile> device_kernel_texts();

}  // namespace gktune
