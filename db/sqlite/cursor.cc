#include "db/sqlite/cursor.h"

#include <sqlite3.h>

#include "db/sql/failure.h"
#include "db/sqlite/connection.h"

namespace gktune::sqlite {

// Comments are none.
bool holds_statement(const Connection& connection, const char* begin, const char* end) {
  while (begin < end) {
    sqlite3_stmt* statement = nullptr;
    const char* rest = end;
    const int code =
        sqlite3_prepare_v2(connection.handle(), begin, static_cast<int>(end - begin), &statement, &rest);
    sqlite3_finalize(statement);
    if (code != SQLITE_OK || statement != nullptr) return true;
    if (rest == begin) return false;
    begin = rest;
  }
  return false;
}

void Cursor::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Cursor::Cursor(const Connection& connection, std::string_view sql) : connection_(&connection) {
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  check(sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()), &statement, &rest));
  statement_.reset(statement);
  has_more_ = holds_statement(connection, rest, sql.data() + sql.size());
}

void Cursor::reset() {
  // Reset repeats the error of the last step, which has been reported.
  sqlite3_reset(statement_.get());
  bound_ = 0;
  taken_ = 0;
}

void Cursor::bind(std::int64_t value) { check(sqlite3_bind_int64(statement_.get(), ++bound_, value)); }

void Cursor::bind(double value) { check(sqlite3_bind_double(statement_.get(), ++bound_, value)); }

void Cursor::bind(std::string_view text) {
  // An empty view may hold a null pointer, which SQLite takes for NULL.
  const char* bytes = text.empty() ? "" : text.data();
  check(sqlite3_bind_text64(statement_.get(), ++bound_, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Cursor::bind(sql::Blob blob) {
  const void* bytes = blob.bytes.empty() ? "" : blob.bytes.data();
  check(sqlite3_bind_blob64(statement_.get(), ++bound_, bytes, blob.bytes.size(), SQLITE_TRANSIENT));
}

void Cursor::bind_null() { check(sqlite3_bind_null(statement_.get(), ++bound_)); }

bool Cursor::step() {
  constexpr std::uint64_t kCellBytes = 24;  // in the caller's memory
  connection_->begin_step();
  int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) {
    taken_ += kCellBytes * static_cast<std::uint64_t>(sqlite3_data_count(statement_.get()));
    connection_->require_bounded(taken_);
    return true;
  }
  if (code != SQLITE_DONE) connection_->fail(code);
  // A statement that is not reset holds its lock.
  sqlite3_reset(statement_.get());
  return false;
}

int Cursor::columns() const { return sqlite3_column_count(statement_.get()); }

std::string Cursor::name(int column) const { return sqlite3_column_name(statement_.get(), column); }

Cursor::Kind Cursor::kind(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return Kind::integer;
    case SQLITE_FLOAT:
      return Kind::real;
    case SQLITE_TEXT:
      return Kind::text;
    case SQLITE_BLOB:
      return Kind::blob;
    default:
      return Kind::null;
  }
}

std::int64_t Cursor::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Cursor::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string_view Cursor::text(int column) const {
  sqlite3_value* value = sqlite3_column_value(statement_.get(), column);  // found once for both
  const unsigned char* bytes = sqlite3_value_text(value);
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  taken_ += size;
  return bytes == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(bytes), size);
}

std::string_view Cursor::bytes(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  taken_ += size;
  return size == 0 ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
}

void Cursor::require_query() const {
  if (!statement_) throw sql::Failure("there is no statement to run");
  if (has_more_) throw sql::Failure("give one statement at a time");
  if (sqlite3_stmt_readonly(statement_.get()) == 0)
    throw sql::Failure("only statements that read are allowed");
}

void Cursor::check(int code) const {
  if (code != SQLITE_OK) connection_->fail(code);
}

}  // namespace gktune::sqlite
