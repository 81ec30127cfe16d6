#pragma once

#include <set>
#include <string>
#include <string_view>

namespace gktune {

// The names that a source gives to parameters of its templates and of the functions that it defines:
// `template <typename T, int tile> __global__ void copy(const T* in, int n) { … }` declares T, tile, in and
// n. A macro of such a name could only break the declaration. Without what may not be compiled, for it stands
// between #if and #endif, and without the names that an #if asks for: there a macro is meant.
std::set<std::string, std::less<>> declared_names(std::string_view source);

}  // namespace gktune
