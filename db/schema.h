#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gktune {

namespace sqlite {
class Database;
}

// "gktu": marks a file as ours, in SQLite's header.
inline constexpr std::int64_t kApplicationId = 0x676b7475;

// The SQL that leads from each version of the schema to the next; the first one makes it. A step that was
// released is never changed: another one is added.
std::span<const std::string_view> schema_steps();

// Takes the schema to the version that `steps` lead to, in one transaction; a newer one throws
// sqlite::Failure.
void migrate(sqlite::Database& database, std::span<const std::string_view> steps);

// What is said of files that are not to be touched.
inline constexpr const char* kForeignFile = "a database of another program, not of gktune";
std::string newer_schema(std::int64_t version, std::int64_t known);

}  // namespace gktune
