#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/completion_script.h"
#include "cli/program.h"

namespace gktune {
namespace {

struct CompletionsOptions {
  std::string shell;
};

void declare(CLI::App& app, CompletionsOptions& options) {
  app.add_option("SHELL", options.shell, "Whose completions to print")
      ->required()
      ->type_name("bash|zsh|fish");
}

ExitCode run(const CompletionsOptions& options, Context& context) {
  auto shell = shell_from_name(options.shell);
  if (!shell) {
    return fail(context, ExitCode::usage,
                "no completions for '" + options.shell + "'; there are bash, zsh, fish");
  }
  context.out << completion_script(completions_of(*make_app()), *shell);
  return ExitCode::done;
}

}  // namespace

Command completions_command() {
  return make_command<CompletionsOptions>("completions", "Print a shell's completions",
                                          "gktune completions bash > /etc/bash_completion.d/gktune", declare,
                                          run);
}

}  // namespace gktune
