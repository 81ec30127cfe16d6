#include "db/study_row.h"

#include "db/sqlite/failure.h"
#include "db/values_json.h"

namespace gktune {

StudyRow read_study(sqlite::Row& row) {
  StudyRow read;
  read.id = row.integer();
  read.study.kernel = row.text();
  read.study.fingerprint = row.text();
  read.study.device.kind = row.text();
  read.study.device.name = row.text();
  read.study.device.architecture = row.text();
  read.study.device.multiprocessors = row.integer();
  const auto damaged = [&](const std::string& reason) {
    return sqlite::Failure("study " + std::to_string(read.id) + " of '" + read.study.kernel + "': " + reason);
  };
  try {
    read.study.problem = values_from_json(row.view());
  } catch (const sqlite::Failure& failure) {
    throw damaged(std::string("its problem is ") + failure.what());
  }
  auto name = row.text();
  auto regime = regime_from_name(name);
  if (!regime)
    throw damaged("damaged: its regime is \"" + name + '"');
  read.study.regime = *regime;
  read.study.objective = row.text();
  read.updated_ms = row.integer();
  read.trials = row.integer();
  read.failed = row.integer();
  return read;
}

}  // namespace gktune
