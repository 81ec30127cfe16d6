#pragma once

#include <string>

#include "tuner/space/language/expression.h"

namespace gktune {

// A text that parses to the same expression, with definitions in place of the names that were replaced by them.
std::string expanded_text(const Expression& expression);

}  // namespace gktune
