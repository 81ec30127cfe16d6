#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/core/content_key.h"

namespace gktune {

struct KernelDefinition;

// Computes Definition::fingerprint. `let` has the definitions that the kernel's expressions use; `included`
// has the texts of the files that the sources include; `command` those of Language::command: the words and
// the texts of the files that they name.
std::string fingerprint(const KernelDefinition& kernel, const std::map<std::string, std::string>& let,
                        std::vector<std::string> included, const std::vector<std::string>& command = {});

}  // namespace gktune
