#pragma once

#include <set>
#include <string>

#include "tuner/source/flat_source.h"

namespace gktune {

// The names of the parameters of a source's templates and functions:
// `template <typename T, int tile> __global__ void copy(const T* in, int n) { … }` declares T, tile, in and
// n. A macro of such a name would break the declaration. Skips declarations between #if and #endif, which may
// not be compiled, and names that an #if tests, because the source expects macros there.
std::set<std::string, std::less<>> declared_names(const FlatSource& source);

}  // namespace gktune
