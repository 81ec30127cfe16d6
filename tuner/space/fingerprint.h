#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/space/definition.h"

namespace gktune {

// The definition's fingerprint: see there. `let` holds the definitions that the kernel's expressions refer
// to, `included` the texts of the files that the kernel's source and those beside it include.
std::string fingerprint(const KernelDefinition& kernel, const std::map<std::string, std::string>& let,
                        std::vector<std::string> included);

}  // namespace gktune
