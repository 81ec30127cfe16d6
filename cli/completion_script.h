#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace gktune {

enum class Shell { bash, zsh, fish };
std::optional<Shell> shell_from_name(std::string_view name);

// What a shell needs to know of a flag, or of what stands without one.
struct CompletionWord {
  std::vector<std::string> names;  // --json, -h; none: a positional
  std::string description;
  bool takes_value = false;
  bool takes_file = false;
  std::vector<std::string> choices;
};

struct CompletionCommand {
  std::string path;  // "db ls"; empty: the program itself
  std::string summary;
  std::vector<CompletionWord> words;
  std::vector<CompletionCommand> children;
};

// Taken from the very definitions that parse the command line.
CompletionCommand completions_of(const CLI::App& app);
std::string completion_script(const CompletionCommand& program, Shell shell);

}  // namespace gktune
