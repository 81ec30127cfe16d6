#pragma once

#include <cstddef>

namespace gktune {

// How often the calling thread has asked for memory through `new`, in programs that link allocation_count.cc.
std::size_t allocation_count();

}  // namespace gktune
