#pragma once

#include <string>

#include "tuner/core/result.h"
#include "tuner/space/plan.h"

namespace gktune {

// The output and exit code of a repro.
struct ReproRun {
  int exit_code = -1;
  std::string output;
};

// Compiles a repro with the system's C++ compiler, CUDA C++ against the host device's headers, and runs it in
// this process. An error is the compiler's.
Result<ReproRun> run_repro(const std::string& text, Language language);

}  // namespace gktune
