#include "cli/output/stale.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/output/units.h"
#include "engine/selection.h"
#include "tuner/core/text.h"

namespace gktune {

namespace {

// A measurement does not help a portfolio, whose own text says what does.
void hint_at_measurement(const std::vector<std::string>& changes, Context& context) {
  if (std::ranges::find(changes, kPortfolioOutdated) == changes.end() || changes.size() > 1)
    hint(context, "gktune run SPACE --fresh measures again");
}

}  // namespace

void warn_of_stale(const std::vector<std::string>& changes, Context& context) {
  for (const std::string& change : changes) context.log.warning("stale: " + change);
  if (!changes.empty()) hint_at_measurement(changes, context);
}

void warn_of_stale(const Portfolio& portfolio, Context& context) {
  for (const std::string& change : portfolio.stale) {
    context.log.warning(fmt::format("the portfolio of {} on {} is stale: {}", portfolio.kernel,
                                 portfolio.device.name, change));
  }
}

Cell stale_cell(const std::vector<std::string>& changes, const TableFormat& format) {
  return {changes.empty() || !format.is_text() ? joined(changes, "; ") : "yes", Json(changes)};
}

const std::vector<std::string>& changes_of(const ChangesByStudy& changes, std::int64_t study) {
  static const std::vector<std::string> kNone;
  const auto found = changes.find(study);
  return found == changes.end() ? kNone : found->second;
}

void warn_of_stale(const std::vector<StudySummary>& studies, const ChangesByStudy& changes,
                   Context& context) {
  std::vector<WinnerChanges> winners;
  for (const StudySummary& each : studies) {
    if (each.best_us) winners.push_back({&each.study, &changes_of(changes, each.id)});
  }
  warn_of_stale(winners, winners.size(), context);
}

void warn_of_stale(std::span<const Winner> winners, Context& context) {
  std::vector<WinnerChanges> all;
  for (const Winner& winner : winners) all.push_back({&winner.study, &winner.changes});
  warn_of_stale(all, all.size(), context);
}

void warn_of_stale(std::span<const WinnerChanges> winners, std::size_t count, Context& context) {
  struct Concerned {
    std::string change;
    const Study* first;
    std::int64_t count;
  };
  std::vector<Concerned> all;
  for (const WinnerChanges& winner : winners) {
    for (const std::string& change : *winner.changes) {
      const auto known = std::ranges::find(all, change, &Concerned::change);
      if (known == all.end()) {
        all.push_back({change, winner.study, 1});
      } else {
        ++known->count;
      }
    }
  }
  for (const Concerned& each : all) {
    const std::string which = each.count == 1
                                  ? study_text(*each.first) + " is stale"
                                  : fmt::format("{} of {} winners are stale", format_count(each.count),
                                                format_count(static_cast<std::int64_t>(count)));
    context.log.warning(fmt::format("{}: {}", which, each.change));
  }
  std::vector<std::string> changes;
  for (const Concerned& each : all) changes.push_back(each.change);
  if (!all.empty()) hint_at_measurement(changes, context);
}

}  // namespace gktune
