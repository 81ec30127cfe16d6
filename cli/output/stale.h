#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/context.h"
#include "cli/output/table.h"
#include "db/database.h"

namespace gktune {

// Warnings about stale answers, on standard error. An answer is stale if its sources, device or driver
// changed after it was measured.

// Warns of the changes that make one answer stale.
void warn_of_stale(const std::vector<std::string>& changes, Context& context);

// Winners with the changes since they were measured. Without changes one is not stale.
using ChangedWinners = std::vector<std::pair<Study, std::vector<std::string>>>;
// Warns of each change once. Names the winner if a change concerns only one, else says how many of `winners`
// it concerns.
void warn_of_stale(const ChangedWinners& changed, std::size_t winners, Context& context);
// The same for winners, or for studies of which some have none.
template <class Changed>
void warn_of_stale(const std::vector<Changed>& all, Context& context) {
  ChangedWinners changed;
  for (const Changed& each : all) {
    if constexpr (requires { each.best_us; })
      if (!each.best_us) continue;
    changed.emplace_back(each.study, each.changes);
  }
  warn_of_stale(changed, changed.size(), context);
}

// The last cell of a row: the changes for programs and documents, a mark for people,
// who read them in the warnings.
Cell stale_cell(const std::vector<std::string>& changes, const TableFormat& format);

}  // namespace gktune
