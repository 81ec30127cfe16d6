#pragma once

#include "tuner/core/embedded_file.h"

namespace gktune {

// The texts of the files in parts/, in the order in which they need each other.
std::span<const EmbeddedFile> repro_parts();

}  // namespace gktune
