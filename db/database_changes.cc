// Removal, definitions, checks and repairs.
#include <algorithm>

#include "db/database.h"
#include "db/database_parts.h"
#include "db/open.h"
#include "db/schema.h"

namespace gktune {
namespace {

// A running session numbers its trials from those that it has stored. `doomed`: a table of studies.
void require_no_claims(const Connection& connection) {
  Statement claimed(
      connection,
      "SELECT s.kernel FROM claims c JOIN studies s ON s.id = c.study_id WHERE c.expires_ms > ? AND "
      "(c.study_id IN (SELECT id FROM doomed) OR EXISTS (SELECT 1 FROM trials t JOIN doomed d ON d.id = "
      "t.study_id WHERE t.session_id = c.session_id)) LIMIT 1");
  if (claimed.bind(connection.now_ms()).step())
    throw Failure("a program tunes '" + claimed.row().text() + "' now; wait for its end");
}

// Removes the studies of the table `doomed` and what depends on them.
Removed remove_doomed(Connection& connection, Removal removal) {
  require_no_claims(connection);
  // Sessions that have ended, and keep neither a trial nor a playoff.
  const std::string idle =
      "SELECT id FROM sessions c WHERE ended_ms IS NOT NULL AND NOT EXISTS (SELECT 1 FROM trials t WHERE "
      "t.session_id = c.id AND t.study_id NOT IN (SELECT id FROM doomed)) AND NOT EXISTS (SELECT 1 FROM "
      "playoffs p "
      "WHERE p.session_id = c.id AND p.study_id NOT IN (SELECT id FROM doomed))";
  const std::string of_studies = " WHERE study_id IN (SELECT id FROM doomed)";
  Removed removed;
  removed.studies = connection.integer("SELECT count(*) FROM doomed");
  removed.trials = connection.integer("SELECT count(*) FROM trials" + of_studies);
  removed.playoffs = connection.integer("SELECT count(*) FROM playoffs" + of_studies);
  removed.sessions = connection.integer("SELECT count(*) FROM (" + idle + ") AS listed");
  if (removal == Removal::rehearsed) return removed;
  connection.execute("DELETE FROM studies WHERE id IN (SELECT id FROM doomed)");  // with trials and playoffs
  connection.execute("DELETE FROM sessions WHERE id IN (" + idle + ")");
  connection.execute(
      "DELETE FROM portfolios WHERE device_id NOT IN (SELECT device_id FROM studies);"
      "DELETE FROM devices WHERE id NOT IN (SELECT device_id FROM studies)");
  return removed;
}

// Copies rows to another database, each that can be read.
class RowRescue {
 public:
  RowRescue(const Connection& from, Connection& to, const std::string& table, std::int64_t most_rows)
      : from_(from), to_(to), most_rows_(most_rows) {
    Statement names(to, "SELECT name FROM pragma_table_info(?)");
    std::string columns, parameters;
    for (names.bind(table); names.step();) {
      columns += (columns.empty() ? "" : ", ") + names.row().text();
      parameters += parameters.empty() ? "?" : ", ?";
    }
    has_id_ = columns.starts_with("id,");
    select_ = "SELECT " + columns + " FROM " + table;
    insert_.emplace(to, "INSERT OR IGNORE INTO " + table + " (" + columns + ") VALUES (" + parameters + ")");
  }

  // Reads forwards and backwards up to the first damaged pages, then the rows between by their ids.
  std::int64_t run() {
    if (copy(has_id_ ? " ORDER BY id" : "") || !has_id_) return kept_;
    const std::int64_t first = last_id_ + 1;
    copy(" ORDER BY id DESC");
    const std::int64_t end = std::min(last_id_, first + most_rows_);
    for (std::int64_t id = first; id < end; ++id) copy(" WHERE id = " + std::to_string(id));
    return kept_;
  }

 private:
  // False: a damaged page ended it.
  bool copy(const std::string& which) {
    try {
      Statement rows(from_, select_ + which);
      while (rows.step()) {
        last_id_ = rows.row().integer();
        keep(rows);
      }
      return true;
    } catch (const Failure& failure) {
      if (!failure.is(Failure::Cause::damaged_file) && !failure.is(Failure::Cause::interrupted)) throw;
      return false;
    }
  }
  // A row that breaks a rule of the schema, or whose parent is lost, is left out.
  void keep(Statement& rows) {
    try {
      insert_->start().bind_next_row(rows);
      insert_->run();
      kept_ += to_.changes();
    } catch (const Failure& failure) {
      if (!failure.is(Failure::Cause::constraint)) throw;
    }
  }

  const Connection &from_, &to_;
  std::int64_t most_rows_;  // that the file can hold
  bool has_id_ = false;
  std::string select_;
  std::optional<Statement> insert_;
  std::int64_t last_id_ = 0, kept_ = 0;
};

// Calls `copy`, which copies a database to a new file. Removes the new file if `copy` fails.
template <class Copy>
auto copied_to(const std::filesystem::path& target, Copy copy) -> decltype(copy()) {
  std::error_code error;
  if (std::filesystem::exists(target, error)) return Error{target.string() + ": exists; name a new file"};
  auto copied = copy();
  if (!copied) remove_database(target);
  return copied;
}

}  // namespace

Result<Removed> Database::remove_studies(const std::vector<std::int64_t>& studies, Removal removal) {
  return guarded([&] {
    const bool is_done = removal == Removal::done;
    // A table of the connection, so that counting changes no file.
    connection_->execute("CREATE TEMP TABLE IF NOT EXISTS doomed (id INTEGER PRIMARY KEY)");
    connection_->execute("DELETE FROM doomed");
    Removed removed;
    {
      Transaction transaction(*connection_, is_done ? Transaction::Kind::alone : Transaction::Kind::read);
      for (const std::int64_t study : studies) {
        Statement(*connection_,
                  "INSERT INTO doomed SELECT id FROM studies WHERE id = ? ON CONFLICT DO NOTHING")
            .bind(study)
            .run();
      }
      removed = remove_doomed(*connection_, removal);
      if (is_done) transaction.commit();
    }
    if (is_done) connection_->shrink();
    return removed;
  });
}

Result<void> Database::finish() {
  return guarded([&] {
    connection_->execute("PRAGMA journal_mode = DELETE");
    file_connection().compact();
  });
}

Result<void> Database::add_definition(const StoredDefinition& definition, const std::vector<StoredCode>& codes) {
  return guarded([&] {
    Transaction transaction(*connection_, Transaction::Kind::write);
    Statement(*connection_, "DELETE FROM definitions WHERE kernel = ? AND fingerprint = ? AND device_kind = ?")
        .bind(definition.kernel, definition.fingerprint, definition.device_kind)
        .run();
    insert_row(*connection_, {"definitions"}, definition);
    for (const StoredCode& code : codes) {
      insert_row(*connection_, {"codes", "symbols, bytes, "}, code, SortedJson(code.symbols).dump(),
                 sql::Blob{code.bytes});
    }
    transaction.commit();
  });
}

Result<std::vector<StoredDefinition>> Database::definitions() const {
  return guarded([&] {
    Statement select(*connection_, "SELECT " + columns_of<StoredDefinition>() + " FROM definitions");
    std::vector<StoredDefinition> all;
    for (Row row : select.rows()) {
      all.push_back(read_fields<StoredDefinition>(row));
    }
    return all;
  });
}

Result<std::vector<StoredCode>> Database::codes() const {
  return guarded([&] {
    Statement select(*connection_, "SELECT " + columns_of<StoredCode>() + ", symbols, bytes FROM codes ORDER BY id");
    std::vector<StoredCode> all;
    for (Row row : select.rows()) {
      StoredCode& code = all.emplace_back(read_fields<StoredCode>(row));
      const auto symbols = SortedJson::parse(row.view(), nullptr, false);
      if (!symbols.is_array()) throw Failure("the symbols of a code of '" + code.kernel + "' are no JSON array");
      for (const SortedJson& symbol : symbols) {
        if (!symbol.is_string()) throw Failure("a symbol of a code of '" + code.kernel + "' is no text");
        code.symbols.push_back(symbol);
      }
      code.bytes = row.bytes();
    }
    return all;
  });
}

Result<std::vector<std::string>> check_database(const std::filesystem::path& path) {
  return sql::guarded(name_of(path), [&] {
    std::vector<std::string> findings;
    if (is_server(path)) {
      open_source(path);  // the rest is the server's
      return findings;
    }
    sqlite::Connection connection = open_damaged(path, kLockPatience);
    const auto add = [&](const std::string& finding) {
      if (!finding.empty()) findings.push_back(finding);
    };
    add(schema_difference(connection));
    if (findings.empty()) add(connection.quick_check());
    if (!findings.empty()) return findings;
    Statement orphans(connection,
                      "SELECT CASE WHEN rowid IS NULL THEN 'a row' ELSE 'row ' || rowid END || ' of ' || \"table\" "
                      "|| ' refers to a missing row of ' || parent FROM pragma_foreign_key_check");
    while (orphans.step()) add(orphans.row().text());
    return findings;
  });
}

Result<std::map<std::string, std::int64_t>> repair_database(const std::filesystem::path& damaged,
                                                            const std::filesystem::path& repaired) {
  if (is_server(damaged)) return Error{name_of(damaged) + ": is on a server, whose own tools repair it"};
  return copied_to(repaired, [&] {
    return sql::guarded(name_of(damaged), [&] {
      sqlite::Connection from = open_damaged(damaged, kLockPatience);
      sqlite::Connection to = open_for_writing(repaired, kLockPatience);
      Transaction transaction(to, Transaction::Kind::write);
      constexpr std::uintmax_t kLeastRowBytes = 64;
      const auto most_rows = static_cast<std::int64_t>(std::filesystem::file_size(damaged) / kLeastRowBytes);
      std::map<std::string, std::int64_t> kept;
      // Rows come after the rows that they refer to.
      for (const char* table : {"devices", "studies", "sessions", "trials", "playoffs", "finalists",
                                "portfolios", "spaces", "definitions", "codes", "queue"})
        kept[table] = RowRescue(from, to, table, most_rows).run();
      transaction.commit();
      return kept;
    });
  });
}

Result<Merged> slim_database(const std::filesystem::path& source, const std::filesystem::path& slim) {
  return copied_to(slim, [&]() -> Result<Merged> {
    auto database = GKTUNE_TRY(Database::open(slim, Database::Access::write));
    auto merged = GKTUNE_TRY(database->merge(source, Copied::winners));
    GKTUNE_TRY(database->finish());
    return merged;
  });
}

}  // namespace gktune
