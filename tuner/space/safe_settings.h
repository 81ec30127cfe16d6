#pragma once

#include <string>
#include <string_view>

namespace gktune {

// True for a compiler option on the list of those that change code only: they load, run, read and write no
// other file, except headers in the folders of -I. Each is one word: "-O3", "-DN=4", "--maxrregcount=32".
bool is_safe_option(std::string_view option);
// The error about an option that is not on it.
std::string unsafe_option_error(std::string_view option);
// True if a message contains that error, so that a front end can say how to accept the option.
bool is_about_unsafe_option(std::string_view message);

// True for an environment variable that changes which programs and libraries a process loads, or which files
// it writes before its own code runs: LD_PRELOAD, PATH, GCC_EXEC_PREFIX, OMP_TOOL_LIBRARIES.
bool changes_loader(std::string_view variable);

}  // namespace gktune
