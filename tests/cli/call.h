#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "cli/output/screen.h"
#include "cli/command.h"

namespace gktune {

// The result and output of one call of the program in this process.
struct Call {
  ExitCode code;
  std::string out, err;
};

inline Call call(const std::vector<std::string>& arguments, const Environment& environment = {}) {
  std::ostringstream out, err;
  const Screen screen;
  PrintableStream printable_out(out), printable_err(err);
  Log log(printable_err, screen);
  Context context{environment, printable_out, printable_err, out,
                  screen,      screen,        log,           [] { return [] { return false; }; }};
  ExitCode code = run_program(arguments, context);
  return {code, out.str(), err.str()};
}

}  // namespace gktune
