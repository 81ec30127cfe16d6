#pragma once

#include <string>
#include <vector>

#include "cli/completion_script.h"
#include "cli/context.h"

namespace gktune {

// The program without its process: parses the arguments (the program's own name left out) and runs a command.
ExitCode run_program(const std::vector<std::string>& arguments, Context& context);

// All commands and flags.
CompletionCommand program_completions();

}  // namespace gktune
