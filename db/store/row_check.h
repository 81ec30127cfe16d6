#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace gktune {

namespace sqlite {
class Database;
}

// Called with the id of a row and the reason why it is damaged; empty for a good one. `has_checksum` is false
// for a row of an earlier version.
using OnRow = std::function<void(std::int64_t id, const std::string& damage, bool has_checksum)>;

// Reads the rows of a table ("trials", "finalists") with ids from `first` on, in their order, and checks each
// by its checksum and by parsing it. Throws sqlite::Failure at a damaged page; OnRow has seen all rows before
// it.
void check_rows(const sqlite::Database& database, const std::string& table, std::int64_t first,
                const OnRow& on_row);

}  // namespace gktune
