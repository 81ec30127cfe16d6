#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/scratch_folder.h"

namespace gktune {

// Python reads what gktune writes: it shares no code with it.

// True if the package is there. It is not imported, which may take seconds.
inline bool python_has(const std::string& package) {
  const std::string script =
      "import importlib.util, sys; sys.exit(importlib.util.find_spec(\"" + package + "\") is None)";
  return std::system(("python3 -c '" + script + "' >/dev/null 2>&1").c_str()) == 0;
}

// The exit status of a script with these arguments, which have no quotes.
inline int run_python(const ScratchFolder& folder, const std::string& script,
                      const std::vector<std::string>& arguments) {
  folder.write("script.py", script);
  std::string command = "python3 -B '" + folder.path("script.py") + "'";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  return std::system(command.c_str());
}

}  // namespace gktune
