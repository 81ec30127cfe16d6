#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/flat_source.h"
#include "tuner/source/tokens.h"

namespace gktune {

// How a source uses a macro that the tuner defines, such as a parameter.
struct MacroUse {
  bool is_used = false;  // the name is a word of the source
  // "k.cu:3", if the source there sets the macro to something else, or declares a variable or function of its
  // name. Only what is compiled in any case counts.
  std::optional<std::string> redefined_at, declared_at;
};

// The words of a source, which outlives this. Its headers may be large: only lines with the name are read closely.
class SourceMacros {
 public:
  explicit SourceMacros(const FlatSource& source);

  MacroUse find(std::string_view name) const;

 private:
  std::vector<Token> code_at(std::size_t line) const;

  const std::vector<SourceLine>& lines_;
  std::vector<bool> is_unconditional_;  // compiled in any case
};

}  // namespace gktune
