#pragma once

#include <string>
#include <vector>

#include "tuner/space/plan.h"

namespace gktune {

// A CUDA source made ready for a C++ compiler, line for line: its own includes are put in, so that several
// variants of it fit in one translation unit, and the few constructs that no macro can express are rewritten.
struct KernelSource {
  std::string text;                 // with #line directives, which keep the user's file and line numbers
  std::string headers;              // the system's, to come first, as the text's own conditions include them
  std::vector<std::string> macros;  // what the text defines, and may leave defined
};

KernelSource read_kernel_source(const SourcePlan& source);

// The text of every file that a C++ source includes from its own folders, directly or not: what a cache has
// to know.
std::string included_text(const SourcePlan& source);

// "#line 7 \"reduce.cu\"\n"
std::string line_directive(int line, const std::string& file);

}  // namespace gktune
