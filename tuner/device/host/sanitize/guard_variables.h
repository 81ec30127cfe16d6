#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gktune {

// Where, among the thread-local variables of a shared object, the compiler keeps the bytes that say whether a
// variable of a function has been initialised. GCC makes one for each shared variable of a type with a
// constructor, and the user's code knows nothing of it.
std::vector<std::uintptr_t> find_guard_variables(const std::string& path);

}  // namespace gktune
