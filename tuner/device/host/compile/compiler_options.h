#pragma once

#include <string>
#include <vector>

#include "tuner/device/worker/job.h"

namespace gktune {

// What the system's compiler is told for a source: our own options, then those of the source that mean
// something here. Options that only NVRTC knows are left out of a CUDA source's.
std::vector<std::string> compiler_options(const SourcePlan& source, Instrumentation instrumentation);

// What follows the source file on the command line: all but a sanitizer's library, where that would be added.
std::vector<std::string> libraries_of(const SourcePlan& source, Instrumentation instrumentation);

}  // namespace gktune
