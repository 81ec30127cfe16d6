#include "cli/output/stale.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/output/quantity.h"
#include "engine/study_selection.h"

namespace gktune {

void warn_of_stale(const std::vector<std::string>& changes, Context& context) {
  for (const std::string& change : changes) context.log.info("warning: stale: " + change);
  if (!changes.empty()) hint(context, "gktune run SPACE --fresh measures again");
}

void warn_of_stale(std::span<const Best> winners, std::span<const Evidence> evidences, Context& context) {
  struct Concerned {
    std::string change;
    const Best* first;
    std::int64_t count;
  };
  std::vector<Concerned> all;
  for (std::size_t i = 0; i < winners.size(); ++i) {
    for (const std::string& change : evidences[i].changes) {
      const auto known = std::ranges::find(all, change, &Concerned::change);
      if (known == all.end()) {
        all.push_back({change, &winners[i], 1});
      } else {
        ++known->count;
      }
    }
  }
  for (const Concerned& each : all) {
    const std::string which = each.count == 1 ? study_text(each.first->study) + " is stale"
                                              : fmt::format("{} of {} winners are stale", format_count(each.count),
                                                            format_count(std::ssize(winners)));
    context.log.info(fmt::format("warning: {}: {}", which, each.change));
  }
  if (!all.empty()) hint(context, "gktune run SPACE --fresh measures again");
}

}  // namespace gktune
