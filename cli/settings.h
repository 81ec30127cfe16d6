#pragma once

#include <string>
#include <vector>

#include "tuner/core/named_values.h"
#include "tuner/core/result.h"

namespace gktune {

// Options of a strategy as --set has them: "population=40".
Result<NamedValues> parse_settings(const std::vector<std::string>& settings);

}  // namespace gktune
