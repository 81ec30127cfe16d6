#include "cli/output/stale.h"

#include <fmt/format.h>

#include <algorithm>

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

void warn_of_stale(const ChangedWinners& changed, std::size_t winners, Context& context) {
  std::vector<std::string> texts;
  std::map<std::string, std::vector<std::string>> concerned;  // the winners of each change
  for (const auto& [study, changes] : changed) {
    for (const std::string& change : changes) {
      if (concerned[change].empty()) texts.push_back(change);
      concerned[change].push_back(study_text(study));
    }
  }
  for (const std::string& text : texts) {
    const std::vector<std::string>& names = concerned[text];
    const std::string which = names.size() == 1
                                  ? names[0] + " is stale"
                                  : fmt::format("{} of {} winners are stale", format_count(std::ssize(names)),
                                                format_count(static_cast<std::int64_t>(winners)));
    context.log.warning(which + ": " + text);
  }
  if (!texts.empty()) hint_at_measurement(texts, context);
}

}  // namespace gktune
