#include <ostream>

#include "cli/commands/commands.h"
#include "cli/completion_script.h"
#include "cli/flags.h"
#include "cli/program.h"

namespace gktune {
namespace {

struct CompletionsOptions {
  std::string shell;
};

void declare(Flags& flags, CompletionsOptions& options) {
  flags.text("SHELL", options.shell, "Whose completions to print").required().kind("bash|zsh|fish");
}

ExitCode run(const CompletionsOptions& options, Context& context) {
  auto shell = shell_from_name(options.shell);
  if (!shell) {
    return fail_usage(context, "gktune completions",
                      "no completions for '" + options.shell + "'; there are bash, zsh, fish");
  }
  context.out << completion_script(program_completions(), *shell);
  return ExitCode::done;
}

}  // namespace

Command completions_command() {
  return make_command<CompletionsOptions>("completions", "Print a shell's completions",
                                          "gktune completions bash > /etc/bash_completion.d/gktune", declare,
                                          run);
}

}  // namespace gktune
