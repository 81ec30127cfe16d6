#pragma once

#include <cstdint>
#include <string>

namespace gktune {

namespace sqlite {
class Connection;
}

// "gktu" in SQLite's header marks a file as ours, and the version there is that of the schema. There is one
// schema: files of other versions are refused.
inline constexpr std::int64_t kApplicationId = 0x676b7475;
inline constexpr std::int64_t kSchemaVersion = 10;

// The SQL that creates the tables, indexes and views. The columns of trials, finalists and sessions follow
// from the fields of Trial and Session.
const std::string& schema_sql();

// False: the file is empty. Throws sql::Failure for the file of another program or of another version of the
// schema.
bool has_schema(sqlite::Connection& connection);
// Creates the schema in an empty file. Throws as has_schema().
void create_schema(sqlite::Connection& connection);

// The difference between the file's schema and schema_sql(); empty: there is none. Other tables, indexes and
// views may exist: nothing here reads them. Triggers may not: they would run SQL of the file.
std::string schema_difference(const sqlite::Connection& connection);

}  // namespace gktune
