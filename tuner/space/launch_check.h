#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/space/plan.h"

namespace gktune {

// Why a program's launches cannot be meant: an argument too many or too few, a buffer for a scalar or the
// other way round, another type, an output that is passed as input alone, a function that is no kernel. The
// source's text decides; where it cannot, because of a typedef or a macro say, nothing is said.
std::optional<std::string> wrong_launch(const ProgramPlan& program,
                                        const std::vector<ArgumentPlan>& arguments,
                                        const std::vector<FunctionSignature>& signatures);

}  // namespace gktune
