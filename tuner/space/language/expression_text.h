#pragma once

#include <string>

#include "tuner/space/language/expression.h"

namespace gktune {

// A text that parses to the same expression after inlined(): it has the definitions in place of their names.
std::string expanded_text(const Expression& expression);

}  // namespace gktune
