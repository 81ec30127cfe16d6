#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gktune {

// The space files that the project ships, in order.
std::vector<std::string> shipped_spaces();

// The shipped spaces whose kernels run on a CPU too: CUB needs a GPU, and takes seconds to compile.
std::vector<std::string> portable_spaces();

// Names each test after the file of its space.
std::string space_name(const testing::TestParamInfo<std::string>& space);

}  // namespace gktune
