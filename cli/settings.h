#pragma once

#include <string>
#include <vector>

#include "gktune/result.h"
#include "gktune/values.h"

namespace gktune {

// Options of a strategy as --set has them: "population=40".
Result<NamedValues> parse_settings(const std::vector<std::string>& settings);

}  // namespace gktune
