#pragma once

#include <string>
#include <vector>

namespace gktune {

// The source with every plain kernel that is no entry turned into a device function, which the compiler
// drops, as nothing calls it. A source often holds more kernels than one variant launches, and each that is
// compiled costs as much as those that are meant. No comments are expected. What is not plainly a kernel of
// another name stays as it is.
std::string without_unused_kernels(std::string text, const std::vector<std::string>& entries);

}  // namespace gktune
