#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gktune {

// The 128-bit XXH3 hash of the bytes, as 32 hexadecimal digits.
std::string content_key(std::string_view bytes);

struct KernelDefinition;

// Computes Definition::fingerprint. `let` has the definitions that the kernel's expressions use; `included`
// has the texts of the files that the sources include.
std::string fingerprint(const KernelDefinition& kernel, const std::map<std::string, std::string>& let,
                        std::vector<std::string> included);

}  // namespace gktune
