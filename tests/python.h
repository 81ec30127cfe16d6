#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/scratch_folder.h"

namespace gktune {

// Tests let Python read the output of gktune, because the two share no code.

// True if the package is installed. It is not imported, because that may take seconds.
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
