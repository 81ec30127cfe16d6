#pragma once

#include <string>
#include <vector>

#include "tuner/device/worker/job.h"

namespace gktune {

// The options of the system's compiler for a source: our own, then those of the source that have a meaning
// here. Leaves out the options of a CUDA source that only NVRTC knows.
std::vector<std::string> compiler_options(const SourcePlan& source, Instrumentation instrumentation);

// The options behind the source file on the command line; they leave out a sanitizer's own library.
std::vector<std::string> libraries_of(const SourcePlan& source, Instrumentation instrumentation);

}  // namespace gktune
