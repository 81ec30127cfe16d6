#pragma once

#include <span>
#include <string_view>

#include "tuner/core/trial.h"

namespace gktune {

// Readings of one trial that metrics may use, by their names in expressions.
std::span<const std::string_view> reading_names();
// The readings that this trial has.
NamedValues readings(const Trial& trial);

}  // namespace gktune
