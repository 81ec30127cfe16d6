#pragma once

#include <gtest/gtest.h>

#include <string>

#include "db/database.h"

namespace gktune {

// All rows of a database but for their ids.
inline std::string contents_of(const Database& database) {
  std::string text;
  for (const char* query :
       {"SELECT c.uuid, t.number, t.config, t.median_us, t.samples, t.message, t.status FROM trials t JOIN sessions c ON "
        "c.id = t.session_id ORDER BY 1, 2",
        "SELECT c.uuid, p.held_ms, f.place, f.median_us, t.config FROM playoffs p JOIN sessions c ON c.id = "
        "p.session_id JOIN finalists f ON f.playoff_id = p.id JOIN trials t ON t.id = f.trial_id ORDER BY 1, 2, 3",
        "SELECT * FROM spaces ORDER BY 1, 2", "SELECT kernel, within, made_ms, body FROM portfolios",
        "SELECT kernel, problem, config, from_playoff FROM best_view ORDER BY 1, 2"}) {
    const auto found = database.query(query);
    EXPECT_TRUE(found.ok()) << found.error().message;
    for (const auto& row : found->rows) {
      for (const auto& cell : row) text += (cell ? cell->str() : "NULL") + "|";
      text += "\n";
    }
  }
  return text;
}

inline std::int64_t rows_of(const Database& database, const std::string& table) {
  return database.query("SELECT count(*) FROM " + table)->rows.at(0).at(0)->integer();
}

}  // namespace gktune
