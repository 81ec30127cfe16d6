#pragma once

#include <string>
#include <vector>

#include "tuner/core/result.h"

namespace gktune {

struct CommandOutput {
  int exit_code = 0;  // 128 + n for a death by signal n
  std::string text;   // stdout and stderr together
};

// Runs a program, found in PATH, to its end. It dies with the calling process, and speaks English: what
// compilers say is kept, and looked into.
Result<CommandOutput> run_command(const std::vector<std::string>& arguments);

}  // namespace gktune
