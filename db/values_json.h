#pragma once

#include <string>

#include "db/sqlite/statement.h"
#include "tuner/core/named_values.h"

namespace gktune {

// The JSON that identifies these values in the database. Throws sqlite::Failure for values that JSON cannot
// represent: a real that is not finite, a text with a zero byte. `what` names the values in the message.
std::string identity_json(const NamedValues& values, const std::string& what);

// Reads the output of NamedValues::json() and keeps the kind of each value; null becomes NaN.
class ValuesReader {
 public:
  explicit ValuesReader(const sqlite::Database& database);
  NamedValues read(const std::string& json);

 private:
  sqlite::Statement statement_;
};

}  // namespace gktune
