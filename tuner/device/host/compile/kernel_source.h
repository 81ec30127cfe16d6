#pragma once

#include <string>
#include <vector>

#include "tuner/space/plan.h"

namespace gktune {

// A CUDA source prepared for a C++ compiler, line for line: the author's own includes are put in, so that
// several variants of it fit in one translation unit, and the few constructs that no macro can express are
// rewritten.
struct KernelSource {
  std::string text;                 // with #line directives, which keep the author's files and line numbers
  std::string headers;              // the system's, to be read first, under the conditions of the text
  std::vector<std::string> macros;  // macros that the text defines, and may leave defined
};

KernelSource read_kernel_source(const SourcePlan& source);

}  // namespace gktune
