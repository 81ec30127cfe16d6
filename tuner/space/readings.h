#pragma once

#include <span>
#include <string_view>

#include "tuner/core/trial.h"

namespace gktune {

// The names of a trial's readings in the expressions of metrics.
std::span<const std::string_view> reading_names();
// The readings that this trial has.
NamedValues readings(const Trial& trial);

}  // namespace gktune
