#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/space/plan.h"

namespace gktune {

// Finds an error in a program's launches by reading the source: a missing or extra argument, a buffer for a
// scalar or a scalar for a buffer, a wrong type, an output that is passed as const, a function that is not a
// kernel. Returns nothing if the source's text does not decide, for example because of a typedef or a macro.
std::optional<std::string> wrong_launch(const ProgramPlan& program,
                                        const std::vector<ArgumentPlan>& arguments,
                                        const std::vector<FunctionSignature>& signatures);

}  // namespace gktune
