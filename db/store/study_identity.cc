#include "db/store/study_identity.h"

#include "db/answers/device_identity.h"
#include "db/row_sums.h"
#include "db/sqlite/database.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/statement.h"

namespace gktune {
namespace {

// The id in a row of an id and of whether the row is sound.
std::optional<std::int64_t> sound_id(sqlite::Statement& find, const std::string& name) {
  if (!find.step()) return std::nullopt;
  auto row = find.row();
  const auto id = row.integer();
  if (!row.boolean()) {
    throw sqlite::Failure("damaged: the checksum of " + name + " differs", sqlite::Failure::kDamagedFile);
  }
  return id;
}

}  // namespace

std::optional<std::int64_t> find_device(const sqlite::Database& database, const DeviceIdentity& device) {
  sqlite::Statement find(
      database, "SELECT id, " + is_sound(summed::kDevices) +
                    " FROM devices WHERE kind = ? AND name = ? AND architecture = ? AND multiprocessors = ?");
  find.bind(device.kind, device.name, device.architecture, device.multiprocessors);
  return sound_id(find, "the device '" + device.name + "'");
}

std::int64_t device_row(const sqlite::Database& database, const DeviceIdentity& device) {
  if (const auto known = find_device(database, device)) return *known;
  sqlite::Statement(database,
                    "INSERT INTO devices (kind, name, architecture, multiprocessors) VALUES (?, ?, ?, ?)")
      .bind(device.kind, device.name, device.architecture, device.multiprocessors)
      .run();
  const auto id = database.last_id();
  sqlite::Statement(database, seal(summed::kDevices, "id = ?")).bind(id).run();
  return id;
}

std::optional<std::int64_t> find_study(const sqlite::Database& database, const StudyKey& key) {
  sqlite::Statement find(
      database, "SELECT id, " + is_sound(summed::kStudies) +
                    " FROM studies WHERE kernel = ? AND fingerprint = ? AND device_id = ? AND problem = ? "
                    "AND regime = ? AND objective = ?");
  find.bind(key.kernel, key.fingerprint, key.device, key.problem, key.regime, key.objective);
  return sound_id(find, "the study of '" + key.kernel + "' for " + key.problem);
}

std::int64_t add_study(const sqlite::Database& database, const StudyKey& key) {
  sqlite::Statement(database,
                    "INSERT INTO studies (kernel, fingerprint, device_id, problem, regime, objective)"
                    " VALUES (?, ?, ?, ?, ?, ?)")
      .bind(key.kernel, key.fingerprint, key.device, key.problem, key.regime, key.objective)
      .run();
  const auto id = database.last_id();
  sqlite::Statement(database, seal(summed::kStudies, "id = ?")).bind(id).run();
  return id;
}

}  // namespace gktune
