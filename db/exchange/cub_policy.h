#pragma once

#include <string>

#include "db/portfolio/make_portfolio.h"
#include "tuner/core/result.h"

namespace gktune {

// The winners of spaces/cub_reduce.yaml on one device as a header in the form of CUB's tuning_reduce.cuh: for
// each type of elements, operation and offset the configuration with the least mean loss over the tuned
// sizes. An error if the source has other axes or parameters.
Result<std::string> cub_policy_text(const PortfolioSource& source);

}  // namespace gktune
