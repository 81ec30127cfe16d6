#pragma once

#include "tuner/space/plan.h"
#include "tuner/space/resolve/evaluator.h"

namespace gktune {

// Plans one of the kernel's arguments: its type, extent, contents and tolerance, or its value.
ArgumentPlan resolve_argument(const Argument& argument, const KernelDefinition& kernel, const Scope& scope,
                              Evaluator& evaluator);

}  // namespace gktune
