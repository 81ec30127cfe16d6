#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_value;

namespace gktune::sqlite {

// A hash of values and of their kinds. The SQL function gktune_checksum(…) returns that of its arguments.
class Checksum {
 public:
  void add(sqlite3_value* value);
  void add(std::int64_t number);
  void add(double number);
  void add(std::string_view text);
  template <class T>
  void add(const std::optional<T>& value) {
    value ? add(*value) : add_null();
  }
  std::int64_t value() const;

 private:
  void add_null();

  std::string bytes_;
};

// Adds the SQL function to a connection.
void add_checksum(sqlite3* handle);

}  // namespace gktune::sqlite
