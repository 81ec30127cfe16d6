#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/portfolio/portfolio.h"
#include "db/sqlite/statement.h"

namespace gktune {

// Tells which configurations of a version of a kernel must no longer serve problems that were not tuned:
// those that misbehaved on any problem (a wrong result, a bad address, a hang …) when they were measured
// again, and those whose trials all failed. A failure that was known when a portfolio was made counted then.
class KnownWrong {
 public:
  explicit KnownWrong(const sqlite::Database& database);

  // The configuration as JSON, its names sorted, and when it was chosen.
  bool is_wrong(std::string_view kernel, std::string_view fingerprint, std::int64_t device,
                std::string_view config, std::int64_t chosen_ms);

  // Leaves the wrong ones out of a portfolio and notes why it is stale. False: none is left. Throws
  // sqlite::Failure for damaged rows and leaves the portfolio as it is then.
  bool judge(Portfolio& portfolio, std::int64_t device);

  // ?1: kernel, ?2: fingerprint, ?3: device, ?4: configuration, ?5: when it was chosen. Only studies with
  // failures of that kind are searched.
  static const std::string kMisbehaved;
  // The same without the last. Of each study whether the configuration went well; a study
  // that did not try it has no row.
  static constexpr std::string_view kOutcomes =
      "SELECT t.status = 'ok' FROM studies s CROSS JOIN trials t ON t.study_id = s.id AND t.is_current = 1"
      " AND t.config = ?4 WHERE s.kernel = ?1 AND s.fingerprint = ?2 AND s.device_id = ?3";
  // ?1: kernel, ?2: fingerprint, ?3: device, ?4: regime, ?5: objective. When the studies of a
  // portfolio were tuned the last time.
  static constexpr std::string_view kLastTuned =
      "SELECT max(updated_ms) FROM studies WHERE kernel = ?1 AND fingerprint = ?2 AND device_id = ?3 AND "
      "regime = ?4 AND objective = ?5";

 private:
  sqlite::Statement misbehaved_, outcomes_, last_tuned_;
};

}  // namespace gktune
