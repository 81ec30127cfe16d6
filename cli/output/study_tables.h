#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/output/progress.h"
#include "cli/output/table.h"
#include "engine/study_facts.h"
#include "tuner/core/trial.h"

namespace gktune {

// The trials that went well, best first.
std::vector<Trial> ranked(const std::vector<Trial>& trials);

// Says if a column shows the ids of trials in the database.
enum class Ids { shown, hidden };

// Time, spread, metrics, then the configuration; the first is bold.
Table trial_table(const std::vector<Trial>& trials, std::size_t limit, Ids ids);
// The number in the database, status, configuration, and the first line of the message.
Table failure_table(const std::vector<Trial>& trials);

// "12.4 µs, 4613 GB/s"
std::string score_text(const Trial& trial);
// "12.4 µs", or the number with the metric's name.
std::string score_text(double score, const std::string& name);
// Half the confidence interval of the median, relative to the median; negative if unknown.
double spread_of(const Timing& timing);
// How far the hosts of a study disagree, one finding a line. Empty: one host measured all.
std::vector<std::string> host_findings(const HostTimes& hosts, const std::optional<Playoff>& decided_by);
// The message of the most frequent failure; empty if no failure has one.
std::string commonest_message(const std::vector<Trial>& trials);

// Parameters and pairs with their share of the variance of the logarithm of the score, the greatest first.
struct ImportanceRow {
  std::string name;
  double share = 0;
};
std::vector<ImportanceRow> importance_rows(const StudyFacts& facts);

// The importance of parameters, and failures by cause.
void print_importance(std::ostream& stream, const Screen& screen, const StudyFacts& facts);

// The shares of at least `least` of at most `most` parameters and pairs, and the rest.
Table share_table(const StudyFacts& facts, std::size_t most, double least);
Table cause_table(const StudyFacts& facts, std::size_t most);

// The same facts of several studies as one table, a row for each. Its column "finding" says of which kind a
// row is: share, rest, predicted, failure.
Table importance_table();
void add_importance(Table& table, std::int64_t study, const StudyFacts& facts);

}  // namespace gktune
