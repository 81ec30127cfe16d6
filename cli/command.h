#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/context.h"

namespace gktune {

class Flags;

// One command of the program.
struct Command {
  using Run = std::function<ExitCode(Context&)>;

  std::string name;
  std::string summary;
  std::string example;
  std::function<Run(Flags&)> declare;  // adds the flags; the returned function runs with their values
  std::vector<Command> children;       // instead of flags: db ls
  bool is_hidden = false;
  std::string note = {};  // the end of its help
  std::vector<std::string> aliases = {};  // other names
};

// Joins the parts of a command through the struct that its flags fill.
template <class Options>
Command make_command(std::string name, std::string summary, std::string example,
                     void (*declare)(Flags&, Options&), ExitCode (*run)(const Options&, Context&)) {
  Command command{std::move(name), std::move(summary), std::move(example), {}, {}};
  command.declare = [declare, run](Flags& flags) -> Command::Run {
    // Shared: the flags write to it and the returned function reads it.
    auto options = std::make_shared<Options>();
    declare(flags, *options);
    return [options, run](Context& context) { return run(*options, context); };
  };
  return command;
}

// Every command, in the order of the help.
const std::vector<Command>& commands();

}  // namespace gktune
