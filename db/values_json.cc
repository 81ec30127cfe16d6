#include "db/values_json.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "db/sqlite/failure.h"

namespace gktune {
namespace {

bool has_zero_byte(const std::string& text) { return text.find('\0') != std::string::npos; }

Value real_value(const std::string& text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw sqlite::Failure("damaged: not a number: " + text);
  return value;
}

}  // namespace

std::string identity_json(const NamedValues& values, const std::string& what) {
  for (const auto& [name, value] : values) {
    if (value.is_real() && !std::isfinite(value.real())) {
      throw sqlite::Failure(what + ": " + name + " is " + value.str() + ", which cannot be stored");
    }
    if (has_zero_byte(name) || (value.is_text() && has_zero_byte(value.text()))) {
      throw sqlite::Failure(what + ": " + name + " has a zero byte, which cannot be stored");
    }
  }
  return values.json();
}

// Takes the text of a real: SQLite's own conversion of decimals may be off by the last bit.
ValuesReader::ValuesReader(const sqlite::Database& database)
    : statement_(database,
                 "SELECT key, type, value,"
                 " CASE WHEN type = 'real' THEN CASE WHEN instr(key, '\"') THEN format('%!.17g', value)"
                 " ELSE ?1 -> fullkey END END"
                 " FROM json_each(?1) ORDER BY id") {}

NamedValues ValuesReader::read(const std::string& json) {
  if (!json.starts_with('{')) throw sqlite::Failure("damaged: not a JSON object: " + json);
  NamedValues values;
  statement_.bind(json);
  while (statement_.step()) {
    auto row = statement_.row();
    auto name = row.text();
    auto type = row.text();
    if (type == "integer") {
      values.set(name, row.integer());
    } else if (type == "text") {
      values.set(name, row.text());
    } else if (type == "true" || type == "false") {
      values.set(name, row.boolean());
    } else if (type == "real") {
      row.text();
      values.set(name, real_value(row.text()));
    } else if (type == "null") {
      values.set(name, std::numeric_limits<double>::quiet_NaN());
    } else {
      throw sqlite::Failure("damaged: \"" + name + "\" is a JSON " + type);
    }
  }
  return values;
}

}  // namespace gktune
