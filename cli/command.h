#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/database.h"
#include "cli/flags.h"

namespace CLI {
class App;
}

namespace gktune {

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
};

// Joins the parts of a command through the struct that its flags fill.
template <class Options>
Command make_command(std::string name, std::string summary, std::string example,
                     void (*declare)(Flags&, Options&), ExitCode (*run)(const Options&, Context&),
                     std::string note = {}) {
  Command command{std::move(name), std::move(summary), std::move(example), {}, {}};
  command.declare = [declare, run](Flags& flags) -> Command::Run {
    // Shared: the flags write to it and the returned function reads it.
    auto options = std::make_shared<Options>();
    declare(flags, *options);
    return [options, run](Context& context) { return run(*options, context); };
  };
  command.note = std::move(note);
  return command;
}

// Every command, in the order of the help.
const std::vector<Command>& commands();

Command new_command();
Command run_command();
Command serve_command();
Command check_command();
Command judge_command();
Command space_command();
Command best_command();
Command db_command();
Command report_command();
Command import_command();
Command bundle_command();
Command exec_command();
Command score_command();
Command devices_command();
Command mcp_command();
Command completions_command();
Command worker_command();  // hidden: the worker processes of a device run it

// The commands below `gktune db`.
Command db_rm_command();
Command db_check_command();
Command db_repair_command();
Command db_portfolio_command();
Command db_export_command();
Command db_import_command();
Command db_merge_command();
Command db_pull_command();
Command db_push_command();
Command db_queue_command();
Command db_slim_command();

// Prints the completions of the last of `words`; those before it are complete. The program's name is not
// included. The scripts of all shells read a line for each: "text<tab>description". A first line ":files"
// asks the shell for files. A database that cannot be read gives no words.
void complete(const CLI::App& program, const std::vector<std::string>& words, Context& context);

// Adds the flags of `gktune man DIR DATE`. The returned function writes a manual page for the program and
// for each of its commands into the folder: gktune-db-ls.1.
Command::Run declare_man(Flags& flags, const CLI::App& program);

// Parses the arguments (without the program's name) and runs a command.
ExitCode run_program(const std::vector<std::string>& arguments, Context& context);

}  // namespace gktune
