#pragma once

#include <string>
#include <vector>

#include "cli/output/json.h"
#include "db/portfolio/portfolio.h"

namespace gktune {

// The section of the page about portfolios; empty if there is none.
std::string portfolio_section(const std::vector<Portfolio>& portfolios);

// The data that the page's script draws of them.
Json portfolios_for_script(const std::vector<Portfolio>& portfolios);

}  // namespace gktune
