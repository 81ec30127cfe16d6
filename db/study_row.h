#pragma once

#include <string>

#include "db/answers/identity.h"
#include "db/sqlite/statement.h"

namespace gktune {

// The SQL of the damage of a study whose id is that of the SQL `id`: of its row, or of the
// row of its device. NULL: none.
std::string study_damage(const std::string& id);

// The columns that read_study reads, from study_view or best_view: the damage of the study, and the study.
const std::string& study_columns();

struct StudyRow {
  std::int64_t id = 0;
  Study study;
  std::int64_t updated_ms = 0;
  std::int64_t trials = 0, failed = 0;
};

// Throws sqlite::Failure for a damaged row.
StudyRow read_study(sqlite::Row& row);

}  // namespace gktune
