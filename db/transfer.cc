#include "db/transfer.h"

#include <algorithm>
#include <vector>

#include "db/sql/statement.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

struct CopiedTable {
  const char* name;
  const char* of_kernel;  // the condition for the rows of a kernel, which is bound
};

// Rows come after the rows that they refer to.
constexpr CopiedTable kCopied[] = {
    {"devices", "id IN (SELECT device_id FROM studies WHERE kernel = ?)"},
    {"studies", "kernel = ?"},
    {"sessions",
     "id IN (SELECT t.session_id FROM trials t JOIN studies s ON s.id = t.study_id WHERE s.kernel = ?1 UNION "
     "SELECT "
     "p.session_id FROM playoffs p JOIN studies s ON s.id = p.study_id WHERE s.kernel = ?1)"},
    {"trials", "study_id IN (SELECT id FROM studies WHERE kernel = ?)"},
    {"playoffs", "study_id IN (SELECT id FROM studies WHERE kernel = ?)"},
    {"finalists",
     "playoff_id IN (SELECT p.id FROM playoffs p JOIN studies s ON s.id = p.study_id WHERE s.kernel = ?)"},
    {"spaces", "kernel = ?"},
    {"portfolios", "kernel = ?"},
};

// Sends several rows at once, because each statement for a server takes a round trip.
void copy_rows(const sql::Connection& from, sql::Connection& to, const CopiedTable& table,
               const std::string& prefix, const std::string& kernel) {
  const std::string source =
      std::string(" FROM ") + table.name + (kernel.empty() ? "" : std::string(" WHERE ") + table.of_kernel);
  sql::Statement count(from, "SELECT count(*)" + source), rows(from, "SELECT *" + source);
  if (!kernel.empty()) count.bind(kernel), rows.bind(kernel);
  count.step();
  auto left = static_cast<std::size_t>(count.row().integer());
  const auto columns = rows.column_names();
  const std::string row = "(" + joined(std::vector<std::string>(columns.size(), "?")) + ")";
  const std::size_t batch = std::max<std::size_t>(1, to.most_parameters() / columns.size());
  const std::string insert = "INSERT INTO " + prefix + table.name + " (" + joined(columns) + ") VALUES ";
  sql::Statement one(to, insert + row), many(to, insert + joined(std::vector<std::string>(batch, row)));
  while (left > 0) {
    sql::Statement& next = left < batch ? one : many;
    next.start();
    for (std::size_t i = left < batch ? 1 : batch; i > 0 && rows.step(); --i, --left)
      next.bind_next_row(rows);
    next.run();
  }
}

}  // namespace

void copy_measurements(sql::Connection& from, sql::Connection& to, const std::string& prefix,
                       const std::string& kernel) {
  sql::Transaction snapshot(from, sql::Transaction::Kind::read);
  for (const CopiedTable& table : kCopied) copy_rows(from, to, table, prefix, kernel);
}

void create_staging(sql::Connection& connection, const std::string& prefix) {
  for (const CopiedTable& table : kCopied)
    connection.execute("CREATE TEMP TABLE " + prefix + table.name + " (LIKE gktune." + table.name + ")");
}

void drop_staging(sql::Connection& connection, const std::string& prefix) {
  for (const CopiedTable& table : kCopied) connection.execute("DROP TABLE IF EXISTS " + prefix + table.name);
}

}  // namespace gktune
