#pragma once

#include <set>
#include <string>
#include <vector>

#include "tuner/source/flat_source.h"

namespace gktune {

using NameSet = std::set<std::string, std::less<>>;

// The part of a CUDA source that kernels use. Host functions (a main, a function with <<<>>>), what only they use, and
// headers of libraries for the host become blank lines. `mentioned` are names that the launches use, besides the
// kernels. A source whose brackets do not match outside of preprocessor conditions stays as it is.
void drop_host_code(FlatSource& source, const NameSet& mentioned);

// The words and numbers of a function and of what it uses: functions, types, constants and macros of the source. Nothing if
// brackets do not match outside of preprocessor conditions.
struct UsedText {
  NameSet words, numbers;
};
UsedText used_by(const FlatSource& source, const std::string& function);

// Lets parameters replace what the source sets itself: `#define TILE 16` becomes a blank line, `constexpr int TILE = 16`,
// `enum { TILE = 16 }`, `using real = float` and `typedef float real` take the value of the macro value_macro("TILE").
// Notes the names of the second kind in source.constants.
void replace_settings(FlatSource& source, const NameSet& parameters);

// The name under which the source gets the value of a parameter: its own, or another if it is one of source.constants.
std::string macro_of(const FlatSource& source, const std::string& parameter);

// All words of the texts.
NameSet words_of(const std::vector<std::string>& texts);

}  // namespace gktune
