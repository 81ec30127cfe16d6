#pragma once

#include <string>
#include <string_view>

namespace gktune {

// True for compiler options on a list of safe ones. A safe option changes the code only: it loads,
// runs, reads and writes no other file, except headers in the folders of -I. Each is one word: "-O3",
// "-DN=4", "--maxrregcount=32".
bool is_safe_option(std::string_view option);
// The error for an option that is not on the list.
std::string unsafe_option_error(std::string_view option);
// True if the message contains that error. Front ends then tell how to accept the option.
bool is_about_unsafe_option(std::string_view message);

// True for an environment variable that changes which programs and libraries a process loads, or which files
// it writes before its own code runs: LD_PRELOAD, PATH, GCC_EXEC_PREFIX, OMP_TOOL_LIBRARIES.
bool changes_loader(std::string_view variable);

}  // namespace gktune
