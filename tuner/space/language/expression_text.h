#pragma once

#include <string>

#include "tuner/space/language/expression.h"

namespace gktune {

// A text that parses to the same expression after inlined(): it has the definitions in place of their names.
std::string expanded_text(const Expression& expression);

// How JSON holds expressions; see core/fields_json.h. Reading throws for a text that is no expression.
inline std::string field_text(const Expression& expression) { return expanded_text(expression); }
void set_from_text(Expression& expression, const std::string& text);

}  // namespace gktune
