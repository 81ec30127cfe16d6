#pragma once

#include <cstddef>
#include <string>

#include "gktune/result.h"

namespace gktune {

// The first bytes of an array in a .npz file (a zip archive of .npy files), at most `limit`. Without a name
// the file must have one array.
Result<std::string> npz_array(const std::string& path, const std::string& array, std::size_t limit);

}  // namespace gktune
