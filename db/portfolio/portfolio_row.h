#pragma once

#include <vector>

#include "db/sqlite/statement.h"

namespace gktune {

namespace sqlite {
class Database;
}

// The portfolio that stays where another one of the same kernel, version, device,
// regime and objective is stored.
enum class Kept {
  given,
  later,  // the one that was made later; the given one in place of a damaged one
};

// The values are kernel, fingerprint, device, regime, objective, within, made_ms and body.
void write_portfolio(const sqlite::Database& database, const std::vector<sqlite::SqlValue>& values,
                     Kept kept);

}  // namespace gktune
