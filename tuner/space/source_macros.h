#pragma once

#include <optional>
#include <string>

#include "tuner/source/flat_source.h"

namespace gktune {

// How a source uses a macro that the tuner defines, such as a parameter.
struct MacroUse {
  bool is_used = false;  // the name is a word of the source
  // "k.cu:3", if the source there sets the macro to something else, or declares a variable or function of its
  // name. Only what is compiled in any case counts.
  std::optional<std::string> redefined_at, declared_at;
};

MacroUse find_macro(const FlatSource& source, const std::string& name);

}  // namespace gktune
