#include "db/store/trial_reader.h"

#include <string>
#include <utility>

#include "db/row_sums.h"
#include "db/sqlite/failure.h"
#include "db/store/trial_row.h"
#include "db/study_row.h"

namespace gktune {

const std::string& best_columns() {
  static const std::string kColumns =
      study_columns() + ", (SELECT " + is_sound(summed::kWinners, "own_w.") +
      " FROM winners own_w WHERE own_w.study_id = best_view.study_id), trial_id, finalist_id";
  return kColumns;
}

TrialReader::TrialReader(const sqlite::Database& database)
    : database_(database),
      find_(database, "SELECT " + kTrialColumns + " FROM trials WHERE id = ?"),
      find_finalist_(database, "SELECT " + kFinalistColumns + " FROM finalists WHERE id = ?") {}

Trial TrialReader::read(std::int64_t id, const Study& study) {
  if (!find_.bind(id).step()) throw sqlite::Failure("damaged: there is no trial " + std::to_string(id));
  auto row = find_.row();
  Trial trial = read_trial(row);
  trial.problem = study.problem;
  trial.regime = study.regime;
  return trial;
}

Trial TrialReader::read_finalist(std::int64_t id, std::int64_t finalist, const Study& study) {
  Trial trial = read(id, study);
  if (!find_finalist_.bind(finalist).step())
    throw sqlite::Failure("damaged: there is no finalist " + std::to_string(finalist));
  auto row = find_finalist_.row();
  gktune::read_finalist(row, trial);
  return trial;
}

Best TrialReader::read_best(sqlite::Row& row) {
  auto read_row = read_study(row);
  const bool is_winner_sound = row.boolean();
  const auto trial = row.integer();
  const auto finalist = row.maybe_integer();
  Best best{.study_id = read_row.id, .study = std::move(read_row.study)};
  const auto read_winner = [&] {
    if (!is_winner_sound)
      throw sqlite::Failure("damaged: the checksum of the winner of study " + std::to_string(best.study_id) +
                            " differs");
    best.trial = finalist ? read_finalist(trial, *finalist, best.study) : read(trial, best.study);
    best.from_playoff = finalist.has_value();
  };
  sqlite::unless_damaged(read_winner, [&](const sqlite::Failure& failure) {
    const auto other = best_sound_trial(database_, best.study_id);
    if (!other) throw failure;
    best.trial = read(*other, best.study);
  });
  best.trials = read_row.trials;
  best.failed = read_row.failed;
  best.updated_unix_ms = read_row.updated_ms;
  return best;
}

}  // namespace gktune
