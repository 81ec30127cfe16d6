#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/space/plan.h"

namespace gktune {

// The reason why a program's launches must be wrong: a missing or extra argument, a buffer for a scalar or the
// other way round, another type, an output that is passed as input alone, a function that is no kernel. The
// source's text decides; there is no error where it cannot, for example because of a typedef or a macro.
std::optional<std::string> wrong_launch(const ProgramPlan& program,
                                        const std::vector<ArgumentPlan>& arguments,
                                        const std::vector<FunctionSignature>& signatures);

}  // namespace gktune
