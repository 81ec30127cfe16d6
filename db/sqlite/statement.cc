#include "db/sqlite/statement.h"

#include <sqlite3.h>

#include <bit>
#include <cstring>
#include <limits>

#include "db/sqlite/connection.h"
#include "db/sqlite/failure.h"

namespace gktune::sqlite {

// Blobs hold doubles in the byte order of x86 and ARM.
static_assert(std::endian::native == std::endian::little);

bool Row::skip_null() {
  if (sqlite3_column_type(statement_, column_) != SQLITE_NULL) return false;
  ++column_;
  return true;
}

std::int64_t Row::integer() { return sqlite3_column_int64(statement_, column_++); }

double Row::real() {
  if (skip_null()) return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(statement_, column_++);
}

std::string_view Row::view() {
  sqlite3_value* value = sqlite3_column_value(statement_, column_++);  // found once for both
  const unsigned char* bytes = sqlite3_value_text(value);
  auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  *taken_ += size;
  return bytes == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(bytes), size);
}

std::optional<std::string_view> Row::maybe_view() {
  if (skip_null()) return std::nullopt;
  return view();
}

std::string Row::text() { return std::string(view()); }

std::vector<double> Row::reals() {
  const void* bytes = sqlite3_column_blob(statement_, column_);
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column_++));
  *taken_ += size;
  if (size % sizeof(double) != 0) throw Failure("damaged: samples of " + std::to_string(size) + " bytes");
  std::vector<double> values(size / sizeof(double));
  if (size != 0) std::memcpy(values.data(), bytes, size);
  return values;
}

std::string Row::bytes() {
  const void* bytes = sqlite3_column_blob(statement_, column_);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column_++));
  *taken_ += size;
  return size == 0 ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

std::optional<std::int64_t> Row::maybe_integer() {
  if (skip_null()) return std::nullopt;
  return integer();
}

std::optional<double> Row::maybe_real() {
  if (skip_null()) return std::nullopt;
  return real();
}

std::optional<Value> Row::maybe_value() {
  switch (sqlite3_column_type(statement_, column_)) {
    case SQLITE_INTEGER:
      return Value(integer());
    case SQLITE_FLOAT:
      return Value(real());
    case SQLITE_TEXT:
      return Value(text());
    case SQLITE_BLOB:
      return Value("(" + std::to_string(sqlite3_column_bytes(statement_, column_++)) + " bytes)");
    default:
      ++column_;
      return std::nullopt;
  }
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

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

Statement::Statement(const Connection& connection, std::string_view sql) : connection_(&connection) {
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  check(sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()), &statement, &rest));
  statement_.reset(statement);
  has_more_ = holds_statement(connection, rest, sql.data() + sql.size());
}

std::vector<std::string> Statement::column_names() const {
  std::vector<std::string> names;
  for (int i = 0; i < sqlite3_column_count(statement_.get()); ++i) {
    names.emplace_back(sqlite3_column_name(statement_.get(), i));
  }
  return names;
}

bool Statement::only_reads() const { return sqlite3_stmt_readonly(statement_.get()) != 0; }

Statement& Statement::start() {
  // Reset repeats the error of the last step, which has been reported.
  sqlite3_reset(statement_.get());
  bound_ = 0;
  taken_ = 0;
  return *this;
}

void Statement::bind_next(std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), ++bound_, value));
}

void Statement::bind_next(double value) { check(sqlite3_bind_double(statement_.get(), ++bound_, value)); }

void Statement::bind_next(std::string_view value) {
  // An empty view may hold a null pointer, which SQLite takes for NULL.
  const char* bytes = value.empty() ? "" : value.data();
  check(sqlite3_bind_text64(statement_.get(), ++bound_, bytes, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind_next(const std::vector<double>& values) {
  const void* bytes = values.empty() ? static_cast<const void*>("") : values.data();
  check(sqlite3_bind_blob64(statement_.get(), ++bound_, bytes, values.size() * sizeof(double),
                            SQLITE_TRANSIENT));
}

void Statement::bind_next(Blob blob) {
  const void* bytes = blob.bytes.empty() ? "" : blob.bytes.data();
  check(sqlite3_bind_blob64(statement_.get(), ++bound_, bytes, blob.bytes.size(), SQLITE_TRANSIENT));
}

void Statement::bind_next(std::nullopt_t) { check(sqlite3_bind_null(statement_.get(), ++bound_)); }

Statement& Statement::bind_row(Statement& other) {
  start();
  for (int i = 0; i < sqlite3_column_count(other.statement_.get()); ++i) {
    sqlite3_value* const value = sqlite3_column_value(other.statement_.get(), i);
    check(sqlite3_bind_value(statement_.get(), ++bound_, value));
    const int type = sqlite3_value_type(value);
    if (type != SQLITE_TEXT && type != SQLITE_BLOB) continue;  // asking for its bytes would make it a text
    other.taken_ += static_cast<std::uint64_t>(sqlite3_value_bytes(value));
  }
  return *this;
}

bool Statement::step() {
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

void Statement::run() {
  while (step()) {
  }
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) connection_->fail(code);
}

}  // namespace gktune::sqlite
