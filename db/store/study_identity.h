#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gktune {

struct DeviceIdentity;

namespace sqlite {
class Database;
}

// The rows of devices and studies by their identity. All throw sqlite::Failure if the row is damaged: what
// belongs to it cannot be told.

std::optional<std::int64_t> find_device(const sqlite::Database& database, const DeviceIdentity& device);
// Adds the device if it is new.
std::int64_t device_row(const sqlite::Database& database, const DeviceIdentity& device);

// The columns that identify a study. `problem` is JSON, its names sorted.
struct StudyKey {
  std::string kernel, fingerprint;
  std::int64_t device = 0;
  std::string problem, regime, objective;
};
std::optional<std::int64_t> find_study(const sqlite::Database& database, const StudyKey& key);
// Adds a study that is not there yet.
std::int64_t add_study(const sqlite::Database& database, const StudyKey& key);

}  // namespace gktune
