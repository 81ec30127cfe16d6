#include "db/postgres/cursor.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "db/sql/failure.h"
#include "tuner/core/text.h"

namespace gktune::postgres {
namespace {

int digit_of(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

}  // namespace

void Cursor::reset() {
  parameters_.clear();
  result_.reset();
  decoded_.clear();
  row_ = -1;
}

void Cursor::bind(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  std::string written(text, end);
  if (std::isinf(value)) written = value < 0 ? "-Infinity" : "Infinity";
  parameters_.push_back({std::move(written)});
}

// A text of PostgreSQL is UTF-8 without zero bytes: other bytes are marked, and zero bytes become spaces.
void Cursor::bind(std::string_view text) {
  std::string stored = as_utf8(std::string(text));
  std::ranges::replace(stored, '\0', ' ');
  parameters_.push_back({std::move(stored)});
}

void Cursor::run() const {
  if (!result_) result_ = connection_->run(sql_, parameters_);
}

bool Cursor::step() {
  run();
  decoded_.clear();
  if (++row_ < libpq().ntuples(result_.get())) return true;
  result_.reset();
  row_ = -1;
  return false;
}

int Cursor::columns() const {
  run();
  return libpq().nfields(result_.get());
}

std::string Cursor::name(int column) const {
  run();
  return libpq().fname(result_.get(), column);
}

Cursor::Kind Cursor::kind(int column) const {
  if (libpq().getisnull(result_.get(), row_, column) != 0) return Kind::null;
  switch (libpq().ftype(result_.get(), column)) {
    case kBool:
    case kInteger:
    case kSmallInteger:
    case kNormalInteger:
      return Kind::integer;
    case kFloat:
    case kReal:
      return Kind::real;
    case kNumeric:
      return text(column).find('.') == std::string_view::npos ? Kind::integer : Kind::real;
    case kBytes:
      return Kind::blob;
    default:
      return Kind::text;
  }
}

std::int64_t Cursor::integer(int column) const {
  const std::string_view digits = text(column);
  if (digits == "t") return 1;
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

double Cursor::real(int column) const {
  const std::string_view digits = text(column);
  double value = std::nan("");
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::string_view Cursor::text(int column) const {
  return {libpq().getvalue(result_.get(), row_, column),
          static_cast<std::size_t>(libpq().getlength(result_.get(), row_, column))};
}

// The server writes bytes as \x and two digits for each.
std::string_view Cursor::bytes(int column) const {
  const auto [known, is_new] = decoded_.try_emplace(column);
  if (is_new) {
    const std::string_view digits = text(column);
    for (std::size_t i = 2; i + 1 < digits.size(); i += 2)
      known->second += static_cast<char>(digit_of(digits[i]) * 16 + digit_of(digits[i + 1]));
  }
  return known->second;
}

// The server refuses several statements, and a transaction for reading those that write.
void Cursor::require_query() const {
  if (trimmed(sql_).empty()) throw sql::Failure("there is no statement to run");
}

}  // namespace gktune::postgres
