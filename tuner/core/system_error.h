#pragma once

#include <string>

namespace gktune {

// The reason of a failed system call, from its errno. Names the limit that `ulimit
// -f` sets, if that is the reason.
std::string system_reason(int error);

}  // namespace gktune
