#pragma once

#include <cstddef>

namespace gktune {

// Writes the user's source line that the code at this address was compiled from, "reduce.cu:42", or nothing
// if it cannot be found. Runs the system's addr2line. Allocates nothing, so
// that a signal handler can call it.
void find_source_line(const void* code, char* line, std::size_t size);

}  // namespace gktune
