#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tuner/core/element_type.h"
#include "tuner/core/result.h"

namespace gktune {

// Reads NumPy's .npy file, whose elements must be of that type and as many as the buffer holds. bfloat16,
// which NumPy does not know, is read from two-byte elements: <u2 or <V2.
Result<void> read_npy(const std::string& path, ElementType type, std::span<std::byte> buffer);

}  // namespace gktune
