#pragma once

#include <map>
#include <string>

#include "tuner/space/definition.h"
#include "tuner/space/space_file.h"

namespace gktune {

// The texts of the files that a source includes, and that these include, by their paths: those beside the
// file that names them, and those in the include directories. What is found in neither is the system's.
using Includes = std::map<std::string, std::string>;
Includes included_files(const std::string& path, const std::string& text,
                        const std::vector<std::string>& include_dirs, const FileReader& files);

// The definition's fingerprint: see there. `let` holds the definitions that the kernel's expressions refer
// to.
std::string fingerprint(const KernelDefinition& kernel, const std::map<std::string, std::string>& let,
                        const Includes& source, const Includes& reference);

}  // namespace gktune
