#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tuner/core/element_type.h"
#include "tuner/core/result.h"

namespace gktune {

// Reads a .npy file of NumPy. Its elements must have that type, and as many as the buffer holds. NumPy has no
// bfloat16: two-byte elements (<u2 or <V2) are taken for it; numbers of eight bits: bytes.
Result<void> read_npy(const std::string& path, ElementType type, std::span<std::byte> buffer);

// Writes elements in one dimension, as read_npy() reads them; bfloat16 as <u2.
Result<void> write_npy(const std::string& path, ElementType type, std::span<const std::byte> elements);

}  // namespace gktune
