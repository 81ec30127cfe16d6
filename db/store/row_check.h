#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gktune {

namespace sqlite {
class Database;
}

struct CheckedRow {
  std::int64_t id = 0;  // SQLite's number of the row; 0 in a table that is identified by names alone
  std::string name;     // the table and the columns that identify the row: "trials 12"
  std::string damage;   // empty for a good row
};
using OnRow = std::function<void(const CheckedRow&)>;

// Reads the rows of a table that carries checksums and checks each by its checksum and by the rules of
// columns.h. Throws sqlite::Failure at a damaged page; OnRow has seen all rows before it.
void check_rows(const sqlite::Database& database, std::string_view table, const OnRow& on_row);

// Removes a row that check_rows() found.
void remove_row(const sqlite::Database& database, std::string_view table, const CheckedRow& row);

}  // namespace gktune
