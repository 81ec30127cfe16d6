#include "db/winners.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "db/open.h"
#include "db/sqlite/failure.h"
#include "db/study_row.h"

namespace gktune {

Result<Winners> read_winners(const std::filesystem::path& path) {
  return sqlite::guarded(path.string(), [&] {
    auto database = open_for_reading(path, std::chrono::seconds(10));
    sqlite::Statement select(database, std::string("SELECT ") + kStudyColumns +
                                           ", config, median_us FROM best_view"
                                           " ORDER BY updated_ms DESC, study_id DESC");
    ValuesReader values(database);
    Winners winners;
    while (select.step()) {
      auto row = select.row();
      Winner winner;
      winner.study = read_study(row, values).study;
      winner.config = values.read(row.text());
      winner.time_us = row.maybe_real().value_or(0);
      KernelWinners& versions = winners[winner.study.kernel];
      auto version = std::ranges::find(versions, winner.study.fingerprint, [](const auto& known) {
        return known.front().study.fingerprint;
      });
      if (version == versions.end()) version = versions.insert(version, std::vector<Winner>());
      version->push_back(std::move(winner));
    }
    if (winners.empty()) database.verify();
    return winners;
  });
}

}  // namespace gktune
