#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/flat_source.h"
#include "tuner/source/tokens.h"

namespace gktune {

// The uses of a macro in a source. The tuner defines the macro, for example for a parameter.
struct MacroUse {
  bool is_used = false;  // the name is a word of the source
  // The place, "k.cu:3", that defines the macro again, or that declares a variable or function of its name.
  // Ignores lines that are compiled only under some conditions.
  std::optional<std::string> redefined_at, declared_at;
};

// Finds macros in a source, which must outlive this object. Tokenizes only lines with the name,
// because headers may be large.
class SourceMacros {
 public:
  explicit SourceMacros(const FlatSource& source);

  MacroUse find(std::string_view name) const;

 private:
  std::vector<Token> code_at(std::size_t line) const;

  const std::vector<SourceLine>& lines_;
  std::vector<bool> is_unconditional_;  // see unconditional_lines()
};

// Selects the names that would have no effect as macros: the source neither has them as words nor puts them
// together with ##. Selects none if a macro names an include, because only the compiler can read that file.
// `mentioned` are the words of other text that is compiled with the source, such as the values of macros.
std::set<std::string, std::less<>> unused_names(const FlatSource& source,
                                                const std::vector<std::string>& names,
                                                const std::set<std::string, std::less<>>& mentioned);

// The names of the parameters of a source's templates and functions:
// `template <typename T, int tile> __global__ void copy(const T* in, int n) { … }` declares T, tile, in and
// n. A macro of such a name would break the declaration. Skips declarations between #if and #endif, which may
// not be compiled, and names that an #if tests, because the source expects macros there.
std::set<std::string, std::less<>> declared_names(const FlatSource& source);

// The error if the source does not contain the function of an entry such as ns::twcie<float>: "twice.cu has
// no function 'twcie', did you mean 'twice'?". Else nothing.
std::optional<std::string> missing_function(const std::string& entry, const std::string& path,
                                            std::string_view text);

}  // namespace gktune
