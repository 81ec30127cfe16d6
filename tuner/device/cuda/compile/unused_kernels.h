#pragma once

#include <string>
#include <vector>

namespace gktune {

// The source with every plain kernel that is no entry turned into a device function, which the compiler
// drops, as nothing calls it. A source often holds more kernels than one variant launches, and each costs as
// much to compile. A kernel stays as it is if it is a template or if its declaration is unusual.
std::string without_unused_kernels(const std::string& text, const std::vector<std::string>& entries);

}  // namespace gktune
