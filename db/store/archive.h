#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/answers/session_environment.h"
#include "db/store/trial_store.h"
#include "tuner/core/result.h"

namespace gktune {

// The reasons to trust, or not to trust, the winner of a study.
struct Evidence {
  std::optional<Trial> second;     // of the playoff if there was one, else of the search
  double lead = 0;                 // of the winner over the second, of 1
  bool is_lead_clear = false;      // the confidence intervals of the two do not overlap
  SessionEnvironment environment;  // the environment that the winner was measured in
  std::int64_t measured_unix_ms = 0;
  // Changes in the database since: a later version of the kernel, a session in another environment.
  std::vector<std::string> changes;
};

struct Ranked {
  std::vector<Trial> trials;
  std::int64_t damaged = 0;  // rows that were left out
};

struct RankedQuery {
  std::int64_t limit = -1;             // none if negative
  std::optional<Status> failure = {};  // these failures instead of successful trials
  std::int64_t since_unix_ms = 0, before_unix_ms = std::numeric_limits<std::int64_t>::max();
};

// The numbers of current trials and of superseded ones by status, and the seconds that all of them took.
struct TrialCounts {
  std::map<Status, std::int64_t> current;
  std::int64_t superseded = 0;
  double compile_s = 0, run_s = 0;
};

struct CommonConfig {
  Config config;
  std::int64_t first_id = 0, second_id = 0;
  Status first_status = Status::ok, second_status = Status::ok;
  double first_objective = 0, second_objective = 0;
  double first_us = 0, second_us = 0;
};

struct CommonConfigs {
  std::vector<CommonConfig> configs;
  std::int64_t damaged = 0;  // configurations that were left out
};

struct DatabaseTotals {
  std::int64_t devices = 0, kernels = 0, studies = 0, sessions = 0, playoffs = 0, portfolios = 0;
  std::optional<std::int64_t> first_unix_ms, last_unix_ms;
  std::int64_t bytes = 0, free_bytes = 0, schema = 0;
};

// The contents of an imported file that no column holds, as JSON.
struct RecordedTexts {
  std::string study;
  std::map<std::int64_t, std::string> trials;  // by their ids
};

// The result of a query in SQL; nothing is NULL.
struct QueryRows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<Value>>> rows;
};

// Answers the questions of people about a database. All but `common` and `query` take less than 0.1 s among a
// million trials.
class Archive {
 public:
  static Result<Archive> open(const std::filesystem::path& path);
  Archive(Archive&&) noexcept;
  Archive& operator=(Archive&&) noexcept;
  ~Archive();

  // The current trials of a study, best first; or its failures.
  Result<Ranked> ranked(const StudySummary& study, const RankedQuery& query) const;
  // The counts of each study that has trials.
  Result<std::map<std::int64_t, TrialCounts>> counts() const;
  Result<TrialCounts> counts(std::int64_t study) const;
  // The winner of a study; no value if it has none.
  Result<std::optional<Best>> winner(std::int64_t study) const;
  Result<Evidence> evidence(const Best& winner) const;
  Result<std::vector<Evidence>> evidence(std::span<const Best> winners) const;
  // The changes of each study whose winner is stale, by its id, as its evidence names them.
  Result<std::map<std::int64_t, std::vector<std::string>>> changes() const;
  // The configurations that two studies have in common.
  Result<CommonConfigs> common(std::int64_t first, std::int64_t second) const;
  Result<RecordedTexts> recorded(std::int64_t study) const;
  Result<DatabaseTotals> totals() const;
  // One statement that only reads.
  Result<QueryRows> query(const std::string& sql) const;

 private:
  struct Connection;
  explicit Archive(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace gktune
