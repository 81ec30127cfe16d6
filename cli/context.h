#pragma once

#include <functional>
#include <iosfwd>
#include <string_view>

#include "cli/environment.h"
#include "cli/exit_code.h"
#include "cli/log.h"
#include "cli/screen.h"

namespace gktune {

// All that a command may touch of the world outside.
struct Context {
  const Environment& environment;
  std::ostream& out;  // results
  std::ostream& err;  // progress, logs, errors
  Screen out_screen, err_screen;
  Log& log;  // writes to err
  // From this call on Ctrl-C no longer ends the program; the function it returns tells whether it was
  // pressed.
  std::function<std::function<bool()>()> catch_interrupts;
};

// Says what went wrong, and returns the code for `return`.
ExitCode fail(Context& context, ExitCode code, std::string_view message);
// A line that says what to do about it.
void hint(Context& context, std::string_view message);
// The same of wrong words after `command`, "gktune run", whose help has the right ones.
ExitCode fail_usage(Context& context, std::string_view command, std::string_view message);

}  // namespace gktune
