#pragma once

#include <string>

#include "db/sqlite/statement.h"
#include "tuner/core/named_values.h"

namespace gktune {

// The JSON under which the database knows these values. Throws sqlite::Failure for what JSON would not give
// back: a real that is not finite, a text with a zero byte. `what` says what they are.
std::string identity_json(const NamedValues& values, const std::string& what);

// Reads back what NamedValues::json() wrote, each value of its kind; null becomes a real that is not a
// number.
class ValuesReader {
 public:
  explicit ValuesReader(const sqlite::Database& database);
  NamedValues read(const std::string& json);

 private:
  sqlite::Statement statement_;
};

}  // namespace gktune
