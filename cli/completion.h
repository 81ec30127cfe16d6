#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"

namespace CLI {
class App;
}

namespace gktune {

// Completion of a command line. The shell's script calls `gktune complete WORD…`, so that all shells offer
// the same: commands, flags and their choices, and the names in the database and in space files.

struct Suggestion {
  std::string text;
  std::string description;
};
struct Suggestions {
  std::vector<Suggestion> words;  // each takes the place of the last word
  bool files = false;             // the shell offers files too
};

// Suggests completions of the last of `words`; those before it are complete. The program's name is not
// included. A file or database that cannot be read suggests nothing.
Suggestions suggest(const CLI::App& program, const std::vector<std::string>& words, const Context& context);

// In the form that the scripts read: a line for each, "text<tab>description"; a first
// line ":files" asks for files.
void print(std::ostream& stream, const Suggestions& suggestions);

enum class Shell { bash, zsh, fish };
std::optional<Shell> shell_from_name(std::string_view name);
std::string_view completion_script(Shell shell);

}  // namespace gktune
