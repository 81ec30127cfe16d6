#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>

#include "db/sqlite/database.h"

namespace gktune {

// Table winners holds the winner of each study, as winner_view finds it among the trials and playoffs, so
// that reading all winners reads no trial. Whoever adds or removes trials or playoffs of a study calls this
// in the same transaction.
void refresh_winner(const sqlite::Database& database, std::int64_t study);

// A version of a kernel on a device.
struct TunedVersion {
  std::string kernel, fingerprint;
  std::int64_t device = 0;
  friend auto operator<=>(const TunedVersion&, const TunedVersion&) = default;
};
// The versions of the studies that a statement selects by its parameter: "SELECT study_id FROM
// trials WHERE session_id = ?".
std::set<TunedVersion> tuned_versions(const sqlite::Database& database, const std::string& studies,
                                      std::int64_t value);
// Table general_configs holds the configuration that is best over all problems of a kernel on a device. This
// refreshes those of some versions, also of such as have no study left.
void refresh_general_configs(const sqlite::Database& database, const std::set<TunedVersion>& versions);

}  // namespace gktune
