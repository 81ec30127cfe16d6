#pragma once

#include <functional>
#include <iosfwd>
#include <string_view>
#include <vector>

#include "cli/environment.h"
#include "cli/exit_code.h"
#include "cli/output/log.h"
#include "cli/output/screen.h"
#include "tuner/space/diagnostic.h"

namespace gktune {

// Everything outside the program that a command may touch.
struct Context {
  const Environment& environment;
  std::ostream& out;    // results
  std::ostream& err;    // progress, logs, errors
  std::ostream& bytes;  // standard output, unescaped: for files that a command writes there
  Screen out_screen, err_screen;
  Log& log;  // writes to err
  // After this call Ctrl-C no longer ends the program. The function it returns
  // is true once Ctrl-C was pressed.
  std::function<std::function<bool()>()> catch_interrupts;
};

// Prints the error and returns the code.
ExitCode fail(Context& context, ExitCode code, std::string_view message);
// Prints every error of a file, and returns the code for a wrong file.
ExitCode fail(Context& context, const std::vector<Diagnostic>& diagnostics);
void warn(Context& context, const std::vector<Diagnostic>& warnings);
// Prints advice after an error or a result.
void hint(Context& context, std::string_view message);
// Names the flag that accepts an unsafe option if the message is about one, and returns true then.
bool hint_at_unsafe_options(Context& context, std::string_view message);
// Prints an error in the arguments of `command` ("gktune run") and names its help.
ExitCode fail_usage(Context& context, std::string_view command, std::string_view message);

}  // namespace gktune
