#include "cli/commands/commands.h"

#include "cli/command.h"

namespace gktune {

const std::vector<Command>& commands() {
  static const std::vector<Command> kCommands = {
      new_command(),    import_command(), run_command(),     check_command(),       space_command(),
      best_command(),   db_command(),     bundle_command(),  report_command(),      exec_command(),
      score_command(),  devices_command(), completions_command(), worker_command(),
  };
  return kCommands;
}

}  // namespace gktune
