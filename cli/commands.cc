#include "cli/commands/commands.h"

#include "cli/command.h"

namespace gktune {

const std::vector<Command>& commands() {
  static const std::vector<Command> kCommands = {
      new_command(),
      best_command(),
      db_command(),
      completions_command(),
  };
  return kCommands;
}

}  // namespace gktune
