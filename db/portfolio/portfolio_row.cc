#include "db/portfolio/portfolio_row.h"

#include <string>

#include "db/row_sums.h"
#include "db/sqlite/database.h"

namespace gktune {

void write_portfolio(const sqlite::Database& database, const std::vector<sqlite::SqlValue>& values,
                     Kept kept) {
  constexpr const char* kUpsert =
      "INSERT INTO portfolios (kernel, fingerprint, device_id, regime, objective, within, made_ms, body) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (kernel, fingerprint, device_id, regime, "
      "objective) DO UPDATE SET (kernel, fingerprint, device_id, regime, objective, within, made_ms, body) = "
      "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
  std::string upsert = kUpsert;
  if (kept == Kept::later)
    upsert += " WHERE (?7, ?8) > (made_ms, body) OR NOT " + is_sound(summed::kPortfolios);
  sqlite::Statement(database, upsert).bind_values(values).run();
  if (database.changes() == 0) return;
  const std::vector<sqlite::SqlValue> identity(values.begin(), values.begin() + 5);
  sqlite::Statement(database,
                    seal(summed::kPortfolios,
                         "kernel = ? AND fingerprint = ? AND device_id = ? AND regime = ? AND objective = ?"))
      .bind_values(identity)
      .run();
}

}  // namespace gktune
