#pragma once

#include "tuner/core/embedded_file.h"

namespace gktune {

// The texts of generator.h and comparison.h, in the order in which they need each other, for the compilers
// that make code with the same definitions. Their paths are as in #include "…".
std::span<const EmbeddedFile> shared_headers();

}  // namespace gktune
