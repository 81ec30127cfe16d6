#include "db/sqlite/checksum.h"

#include <sqlite3.h>

#include <bit>
#include <cstdint>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gktune::sqlite {
namespace {

void append(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append(std::string& bytes, sqlite3_value* value) {
  const int kind = sqlite3_value_type(value);
  bytes += static_cast<char>(kind);
  switch (kind) {
    case SQLITE_INTEGER:
      append(bytes, static_cast<std::uint64_t>(sqlite3_value_int64(value)));
      break;
    case SQLITE_FLOAT:
      // SQLite stores -0.0 as 0.0.
      append(bytes, std::bit_cast<std::uint64_t>(sqlite3_value_double(value) + 0.0));
      break;
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
      const auto* data = static_cast<const char*>(sqlite3_value_blob(value));
      const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
      append(bytes, size);
      if (size > 0) bytes.append(data, size);
      break;
    }
    default:
      break;
  }
}

void checksum(sqlite3_context* context, int count, sqlite3_value** values) {
  std::string bytes;
  for (int i = 0; i < count; ++i) append(bytes, values[i]);
  const std::uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
  sqlite3_result_int64(context, static_cast<sqlite3_int64>(hash));
}

}  // namespace

void add_checksum(sqlite3* handle) {
  sqlite3_create_function_v2(handle, "gktune_checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                             nullptr, checksum, nullptr, nullptr, nullptr);
}

}  // namespace gktune::sqlite
