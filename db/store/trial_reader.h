#pragma once

#include "db/sqlite/statement.h"
#include "db/store/trial_store.h"

namespace gktune {

// Reads trials by their ids, and winners. Throws sqlite::Failure for a row that is missing or damaged.
class TrialReader {
 public:
  explicit TrialReader(const sqlite::Database& database);

  Trial read(std::int64_t id, const Study& study);
  // The trial with its figures in a playoff.
  Trial read_finalist(std::int64_t id, std::int64_t finalist, const Study& study);
  // A row of best_view that has best_columns(). The best sound trial stands in for a damaged winner.
  Best read_best(sqlite::Row& row);

 private:
  const sqlite::Database& database_;
  sqlite::Statement find_, find_finalist_;
};

// The columns of a study, whether the stored winner is sound, and the ids of its trial and finalist.
const std::string& best_columns();

}  // namespace gktune
