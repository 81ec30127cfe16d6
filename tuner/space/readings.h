#pragma once

#include <span>
#include <string_view>

#include "tuner/core/trial.h"

namespace gktune {

// What metrics are made of: the figures of one trial, by the names that expressions know them by.
std::span<const std::string_view> reading_names();
// Those that are known of this trial.
NamedValues readings(const Trial& trial);

}  // namespace gktune
