#pragma once

#include <cstdint>
#include <iosfwd>

#include "cli/output/json.h"
#include "cli/output/screen.h"
#include "cli/output/table.h"
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

// The shares of at least `least` of at most `most` parameters and pairs, and the rest.
Table share_table(const StudyFacts& facts, std::size_t most, double least);
Table absent_table(const StudyFacts& facts);
Table cause_table(const StudyFacts& facts, std::size_t most);

// The same facts of several studies as one table, a row for each. Its column "finding" says of which kind a
// row is: share, rest, predicted, never among the best, failure.
Table importance_table();
void add_importance(Table& table, std::int64_t study, const StudyFacts& facts);

}  // namespace gktune
