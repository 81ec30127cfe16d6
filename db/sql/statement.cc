#include "db/sql/statement.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "db/sql/connection.h"
#include "db/sql/failure.h"

namespace gktune::sql {

// Blobs hold doubles in the byte order of x86 and ARM.
static_assert(std::endian::native == std::endian::little);

bool Row::skip_null() {
  if (!is_null()) return false;
  ++column_;
  return true;
}

double Row::real() {
  if (skip_null()) return std::numeric_limits<double>::quiet_NaN();
  return cursor_->real(column_++);
}

std::optional<std::string_view> Row::maybe_view() {
  if (skip_null()) return std::nullopt;
  return view();
}

std::vector<double> Row::reals() {
  const std::string_view bytes = cursor_->bytes(column_++);
  if (bytes.size() % sizeof(double) != 0)
    throw Failure("damaged: samples of " + std::to_string(bytes.size()) + " bytes");
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
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
  switch (cursor_->kind(column_)) {
    case Cursor::Kind::integer:
      return Value(integer());
    case Cursor::Kind::real:
      return Value(real());
    case Cursor::Kind::text:
      return Value(text());
    case Cursor::Kind::blob:
      return Value("(" + std::to_string(cursor_->bytes(column_++).size()) + " bytes)");
    case Cursor::Kind::null:
      break;
  }
  ++column_;
  return std::nullopt;
}

Statement::Statement(const Connection& connection, std::string_view sql) : cursor_(connection.prepare(sql)) {}

Statement& Statement::start() {
  cursor_->reset();
  return *this;
}

void Statement::bind_next(double value) { std::isnan(value) ? cursor_->bind_null() : cursor_->bind(value); }

void Statement::bind_next(const std::vector<double>& values) {
  bind_next(Blob{{reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)}});
}

void Statement::bind_next_row(const Statement& other) {
  const Cursor& row = *other.cursor_;
  for (int i = 0; i < row.columns(); ++i) {
    switch (row.kind(i)) {
      case Cursor::Kind::null:
        cursor_->bind_null();
        break;
      case Cursor::Kind::integer:
        cursor_->bind(row.integer(i));
        break;
      case Cursor::Kind::real:
        cursor_->bind(row.real(i));
        break;
      case Cursor::Kind::text:
        cursor_->bind(row.text(i));
        break;
      case Cursor::Kind::blob:
        cursor_->bind(Blob{row.bytes(i)});
        break;
    }
  }
}

void Statement::run() {
  while (step()) {
  }
}

std::vector<std::string> Statement::column_names() const {
  std::vector<std::string> names;
  for (int i = 0; i < cursor_->columns(); ++i) names.push_back(cursor_->name(i));
  return names;
}

std::int64_t Connection::integer(const std::string& sql) const {
  Statement statement(*this, sql);
  if (!statement.step()) throw Failure("no answer to " + sql);
  return statement.row().integer();
}

std::string Connection::text(const std::string& sql) const {
  Statement statement(*this, sql);
  if (!statement.step()) throw Failure("no answer to " + sql);
  return statement.row().text();
}

}  // namespace gktune::sql
