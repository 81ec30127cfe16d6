#include <ostream>

#include "cli/commands/commands.h"
#include "cli/completion.h"
#include "cli/flags.h"

namespace gktune {
namespace {

struct CompletionsOptions {
  std::string shell;
};

void declare(Flags& flags, CompletionsOptions& options) {
  flags.text("SHELL", options.shell, "Shell").required().kind("bash|zsh|fish");
}

ExitCode run(const CompletionsOptions& options, Context& context) {
  auto shell = shell_from_name(options.shell);
  if (!shell) {
    return fail_usage(context, "gktune completions",
                      "unknown shell '" + options.shell + "'; known are bash, zsh, fish");
  }
  context.out << completion_script(*shell);
  return ExitCode::done;
}

}  // namespace

Command completions_command() {
  return make_command<CompletionsOptions>("completions", "Print the completion script of a shell",
                                          "gktune completions bash > /etc/bash_completion.d/gktune", declare,
                                          run);
}

}  // namespace gktune
