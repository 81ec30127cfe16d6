#include "cli/output/stale.h"

#include <fmt/format.h>

#include <algorithm>

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

Cell stale_cell(const std::vector<std::string>& changes, const TableFormat& format) {
  return {changes.empty() || !format.is_text() ? joined(changes, "; ") : "yes", Json(changes)};
}

const std::vector<std::string>& changes_of(const ChangesByStudy& changes, std::int64_t study) {
  static const std::vector<std::string> kNone;
  const auto found = changes.find(study);
  return found == changes.end() ? kNone : found->second;
}

void StaleWinners::add(const Study& study, const std::vector<std::string>& changes) {
  ++count_;
  for (const std::string& change : changes) {
    const auto known = std::ranges::find(changes_, change, &Change::text);
    if (known != changes_.end()) {
      ++known->count;
    } else {
      changes_.push_back({change, study_text(study), 1});
    }
  }
}

void StaleWinners::add(std::span<const Winner> winners) {
  for (const Winner& winner : winners) add(winner.study, winner.changes);
}

void StaleWinners::warn(std::size_t winners, Context& context) const {
  std::vector<std::string> texts;
  for (const Change& each : changes_) {
    const auto of = format_count(static_cast<std::int64_t>(winners));
    const std::string which = each.count == 1
                                  ? each.first + " is stale"
                                  : fmt::format("{} of {} winners are stale", format_count(each.count), of);
    context.log.warning(which + ": " + each.text);
    texts.push_back(each.text);
  }
  if (!texts.empty()) hint_at_measurement(texts, context);
}

void warn_of_stale(const std::vector<StudySummary>& studies, const ChangesByStudy& changes,
                   Context& context) {
  StaleWinners stale;
  for (const StudySummary& each : studies) {
    if (each.best_us) stale.add(each.study, changes_of(changes, each.id));
  }
  stale.warn(context);
}

}  // namespace gktune
