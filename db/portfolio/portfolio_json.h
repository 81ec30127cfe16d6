#pragma once

#include "db/values_json.h"
#include "db/portfolio/portfolio.h"

namespace gktune {

// The part of a portfolio besides its identity, as the database and bundles store it.
SortedJson body_json(const Portfolio& portfolio);
// Throws sqlite::Failure for other JSON.
void read_body_text(const std::string& text, Portfolio& portfolio);

}  // namespace gktune
