#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "cli/program.h"

namespace gktune {

// What one call of the program, in this process, returned and wrote.
struct Call {
  ExitCode code;
  std::string out, err;
};

inline Call call(const std::vector<std::string>& arguments, const Environment& environment = {}) {
  std::ostringstream out, err;
  const Screen screen;
  Log log(err, screen);
  Context context{environment, out, err, screen, screen, log, [] { return [] { return false; }; }};
  ExitCode code = run_program(arguments, context);
  return {code, out.str(), err.str()};
}

}  // namespace gktune
