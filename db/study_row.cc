#include "db/study_row.h"

#include "db/row_sums.h"
#include "db/sqlite/failure.h"
#include "db/values_json.h"

namespace gktune {

std::string study_damage(const std::string& id) {
  return "(SELECT CASE WHEN NOT " + is_sound(summed::kStudies, "own_s.") +
         " THEN 'its checksum differs' WHEN NOT " + is_sound(summed::kDevices, "own_d.") +
         " THEN 'the checksum of its device differs' END FROM studies own_s JOIN devices own_d ON own_d.id = "
         "own_s.device_id WHERE own_s.id = " +
         id + ")";
}

const std::string& study_columns() {
  static const std::string kColumns = study_damage("study_id") +
                                      ", study_id, kernel, fingerprint, device_kind, device, architecture, "
                                      "multiprocessors, problem, regime, goal, updated_ms, trials, failed";
  return kColumns;
}

StudyRow read_study(sqlite::Row& row) {
  StudyRow read;
  const auto damage = row.text();
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
  if (!damage.empty()) throw damaged("damaged: " + damage);
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
