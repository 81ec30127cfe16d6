#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/context.h"

namespace CLI {
class App;
}

namespace gktune {

// The program without its process: parses the arguments (the program's own name left out) and runs a command.
ExitCode run_program(const std::vector<std::string>& arguments, Context& context);

// All commands and flags, declared but not parsed: what the shell completions are made from.
std::unique_ptr<CLI::App> make_app();

}  // namespace gktune
