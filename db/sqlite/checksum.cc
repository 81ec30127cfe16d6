#include "db/sqlite/checksum.h"

#include <sqlite3.h>

#include <bit>
#include <cstdint>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gktune::sqlite {
namespace {

// A value of a kind, or the size of one.
void append(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append(std::string& bytes, int kind, const void* data, std::size_t size) {
  bytes += static_cast<char>(kind);
  append(bytes, size);
  if (size > 0) bytes.append(static_cast<const char*>(data), size);
}

void checksum(sqlite3_context* context, int count, sqlite3_value** values) {
  Checksum sum;
  for (int i = 0; i < count; ++i) sum.add(values[i]);
  sqlite3_result_int64(context, sum.value());
}

}  // namespace

void Checksum::add(sqlite3_value* value) {
  switch (const int kind = sqlite3_value_type(value); kind) {
    case SQLITE_INTEGER:
      return add(std::int64_t{sqlite3_value_int64(value)});
    case SQLITE_FLOAT:
      return add(sqlite3_value_double(value));
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
      const void* data = sqlite3_value_blob(value);
      return append(bytes_, kind, data, static_cast<std::size_t>(sqlite3_value_bytes(value)));
    }
    default:
      return add_null();
  }
}

void Checksum::add(std::int64_t number) {
  bytes_ += static_cast<char>(SQLITE_INTEGER);
  append(bytes_, static_cast<std::uint64_t>(number));
}

void Checksum::add(double number) {
  bytes_ += static_cast<char>(SQLITE_FLOAT);
  // SQLite stores -0.0 as 0.0.
  append(bytes_, std::bit_cast<std::uint64_t>(number + 0.0));
}

void Checksum::add(std::string_view text) { append(bytes_, SQLITE_TEXT, text.data(), text.size()); }

void Checksum::add_null() { bytes_ += static_cast<char>(SQLITE_NULL); }

std::int64_t Checksum::value() const {
  return static_cast<std::int64_t>(XXH3_64bits(bytes_.data(), bytes_.size()));
}

void add_checksum(sqlite3* handle) {
  sqlite3_create_function_v2(handle, "gktune_checksum", -1,
                             SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr, checksum,
                             nullptr, nullptr, nullptr);
}

}  // namespace gktune::sqlite
