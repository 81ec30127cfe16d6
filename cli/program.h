#pragma once

#include <string>
#include <vector>

#include "cli/context.h"

namespace gktune {

// Parses the arguments (without the program's name) and runs a command.
ExitCode run_program(const std::vector<std::string>& arguments, Context& context);

}  // namespace gktune
