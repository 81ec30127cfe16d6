#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/progress.h"
#include "cli/table.h"
#include "tuner/core/trial.h"

namespace gktune {

// Trials as people read them.

// Those that went well, best first.
std::vector<Trial> ranked(const std::vector<Trial>& trials);

// Whether the numbers that the database has for trials are a column.
enum class Ids { shown, hidden };

// Time, spread, metrics, then the configuration; the first is bold.
Table trial_table(const std::vector<Trial>& trials, std::size_t limit, Ids ids);
// The number in the database, status, configuration, and the first line of the message.
Table failure_table(const std::vector<Trial>& trials, std::size_t limit);

// "12.4 µs, 4613 GB/s"
std::string score_text(const Trial& trial);
// Half the confidence interval of the median as a share of it; negative where it is not known.
double spread_of(const Timing& timing);
// The message of the kind of failure that came most often; empty: no failure has any.
std::string commonest_message(const std::vector<Trial>& trials);

}  // namespace gktune
