#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gktune {

namespace sqlite {
class Database;
}

// "gktu" in SQLite's header marks a file as ours.
inline constexpr std::int64_t kApplicationId = 0x676b7475;

// The SQL from each version of the schema to the next; the first step creates it. A released step never
// changes: add another one.
std::span<const std::string_view> schema_steps();

// Applies the steps that the database lacks, in one transaction. Throws
// sqlite::Failure if its version is newer.
void migrate(sqlite::Database& database, std::span<const std::string_view> steps);

// Throws sqlite::Failure unless the tables, indexes and views are those that the steps create, so that a
// query runs the SQL of this program and not that of the file. Other tables, indexes and views may exist:
// nothing here reads them. Triggers may not.
void verify_schema(const sqlite::Database& database, std::span<const std::string_view> steps);

// A row with a NULL or a value of another kind than its column, in words; empty: there is none.
std::string misfit(const sqlite::Database& database);

// The SQL of a text for each row that refers to a missing one. A table without row ids gives no number.
inline constexpr const char* kOrphanQuery =
    "SELECT CASE WHEN rowid IS NULL THEN 'a row' ELSE 'row ' || rowid END || ' of ' || \"table\" ||"
    " ' refers to a missing row of ' || parent FROM pragma_foreign_key_check";

// Messages about files that stay unmodified.
inline constexpr const char* kForeignFile = "a database of another program, not of gktune";
std::string newer_schema(std::int64_t version, std::int64_t known);

}  // namespace gktune
