#pragma once

#include <string>
#include <vector>

#include "cli/context.h"

namespace CLI {
class App;
}

namespace gktune {

// Prints the completions of the last of `words`; those before it are complete. The program's name is not
// included. The scripts of all shells read a line for each: "text<tab>description". A first line ":files"
// asks the shell for files. A database that cannot be read gives no words.
void complete(const CLI::App& program, const std::vector<std::string>& words, Context& context);

}  // namespace gktune
