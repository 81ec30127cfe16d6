#pragma once

#include "tuner/core/embedded_file.h"

namespace gktune {

// The texts of generator.h and comparison.h, for device code that uses the same definitions.
// Each comes before those that include it, with its path in #include "…".
std::span<const EmbeddedFile> shared_headers();

}  // namespace gktune
