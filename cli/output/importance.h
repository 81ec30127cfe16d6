#pragma once

#include <iosfwd>

#include "cli/output/json.h"
#include "cli/output/screen.h"
#include "engine/study_facts.h"

namespace gktune {

// Parameters and pairs with their share of the variance of the logarithm of the score, the greatest first.
struct ImportanceRow {
  std::string name;
  double share = 0;
};
std::vector<ImportanceRow> importance_rows(const StudyFacts& facts);

// The importance of parameters, values that never occur among the best, and failures by cause.
void print_importance(std::ostream& stream, const Screen& screen, const StudyFacts& facts);
Json importance_json(const StudyFacts& facts);

}  // namespace gktune
