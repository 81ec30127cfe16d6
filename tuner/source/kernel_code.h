#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/flat_source.h"

namespace gktune {

using NameSet = std::set<std::string, std::less<>>;

// Makes functions and variables without a mark device code.
inline constexpr const char* kAllDevicesOption = "--device-as-default-execution-space";

// Says whether functions and variables without a mark are host code or device code.
enum class Unmarked { host, devices };
Unmarked unmarked_with(const std::vector<std::string>& options);

// Removes the host code of a CUDA source: host functions (main, functions with <<<>>>), everything that only
// they use, and headers of host libraries become blank lines. So do kernels that nothing mentions.
// `mentioned` are the names that the launches use. Leaves a source unchanged if its brackets do not match
// outside of preprocessor conditions.
void drop_host_code(FlatSource& source, const NameSet& mentioned, Unmarked unmarked = Unmarked::host);

// A line for each name of removed host code that the compiler's messages quote.
std::string host_code_notes(const NameSet& host_names, std::string_view log);

// #include lines of the headers that declare what the source takes from no header of its own: nvcc includes
// some unasked, and headers of host libraries bring others.
std::string implied_includes(const FlatSource& source);

// The words and numbers of functions, and of the functions, types, constants and macros of the source that
// they use. Empty if brackets do not match outside of preprocessor conditions.
struct UsedText {
  NameSet words, numbers;
};
UsedText used_by(const FlatSource& source, const NameSet& functions);

// Lets parameters replace settings of the source. `#define TILE 16` becomes a blank line. `constexpr int TILE
// = 16`, `enum { TILE = 16 }`, `using real = float` and `typedef float real` take the value of a macro with
// another name, and the name is added to source.constants: see macro_of().
void replace_settings(FlatSource& source, const NameSet& parameters);

// The macro that gives the source the value of a parameter: its own name, or another
// name if source.constants has it.
std::string macro_of(const FlatSource& source, const std::string& parameter);

// The words of all texts.
NameSet words_of(const std::vector<std::string>& texts);

}  // namespace gktune
