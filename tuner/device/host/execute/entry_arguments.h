#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/device/host/include/gktune/abi.h"
#include "tuner/device/run/passed_values.h"
#include "tuner/space/plan.h"

namespace gktune {

// The reason why the entry cannot take the arguments of the step.
std::optional<std::string> misfit(const kernel::Entry& entry, const StepPlan& step,
                                  const ProgramPlan& program, const std::vector<ArgumentPlan>& arguments,
                                  const PassedValues& passed);

}  // namespace gktune
