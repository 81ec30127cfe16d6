#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/output/progress.h"
#include "cli/output/table.h"
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
// Half the confidence interval of the median, relative to the median; negative if unknown.
double spread_of(const Timing& timing);
// The message of the most frequent failure; empty if no failure has one.
std::string commonest_message(const std::vector<Trial>& trials);

}  // namespace gktune
