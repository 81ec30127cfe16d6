#pragma once

#include <span>
#include <string_view>

#include "tuner/core/trial.h"

namespace gktune {

// Readings of one trial that metrics may use, by their names in expressions.
std::span<const std::string_view> reading_names();
// Those that are known of this trial.
NamedValues readings(const Trial& trial);

}  // namespace gktune
