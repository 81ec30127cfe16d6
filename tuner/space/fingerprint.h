#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/source/flat_source.h"
#include "tuner/space/definition.h"

namespace gktune {

// The definition's fingerprint: see there. `let` holds the definitions that the kernel's expressions refer
// to, the sources (the kernel's and those beside it) bring the files that they include.
std::string fingerprint(const KernelDefinition& kernel, const std::map<std::string, std::string>& let,
                        const std::vector<FlatSource>& sources);

}  // namespace gktune
