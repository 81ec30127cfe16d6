#pragma once

#include "db/identity.h"
#include "db/sqlite/statement.h"

namespace gktune {

// The columns that read_study reads, from study_view or best_view.
inline constexpr const char* kStudyColumns =
    "study_id, kernel, fingerprint, device_kind, device, architecture, multiprocessors, problem, regime, "
    "goal,"
    " updated_ms, trials, failed";

struct StudyRow {
  std::int64_t id = 0;
  Study study;
  std::int64_t updated_ms = 0;
  std::int64_t trials = 0, failed = 0;
};

StudyRow read_study(sqlite::Row& row);

}  // namespace gktune
