#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/values.h"

struct sqlite3_stmt;

namespace gktune::sqlite {

class Connection;

// Bytes to bind that are no text.
struct Blob {
  std::string_view bytes;
};

// The current row of a statement; reads its columns one after the other.
class Row {
 public:
  // Adds the bytes of texts and blobs that are read to `taken`.
  Row(sqlite3_stmt* statement, std::uint64_t& taken) : statement_(statement), taken_(&taken) {}

  std::int64_t integer();
  double real();
  bool boolean() { return integer() != 0; }
  std::string text();
  std::string_view view();  // a text; valid until the next step
  std::optional<std::string_view> maybe_view();
  std::vector<double> reals();  // of a blob
  std::string bytes();          // of a blob
  std::optional<std::int64_t> maybe_integer();
  std::optional<double> maybe_real();
  std::optional<Value> maybe_value();  // of any kind; a blob is described by a text
  bool skip_null();                    // true: the next column was NULL, and is skipped

 private:
  sqlite3_stmt* statement_;
  std::uint64_t* taken_;
  int column_ = 0;
};

// Compiled SQL. The Connection must outlive it.
class Statement {
 public:
  Statement(const Connection& connection, std::string_view sql);

  // Resets it and binds its parameters in order.
  template <class... Values>
  Statement& bind(const Values&... values) {
    start();
    (bind_next(values), ...);
    return *this;
  }
  // Resets it and binds the values of the other statement's row, as they are.
  Statement& bind_row(Statement& other);
  // Resets it; bind_next() then binds one parameter after the other.
  Statement& start();
  void bind_next(std::int64_t value);
  void bind_next(int value) { bind_next(static_cast<std::int64_t>(value)); }
  void bind_next(bool value) { bind_next(static_cast<std::int64_t>(value)); }
  void bind_next(double value);  // not a number becomes NULL
  void bind_next(std::string_view value);
  void bind_next(const std::string& value) { bind_next(std::string_view(value)); }
  void bind_next(const char* value) { bind_next(std::string_view(value)); }
  void bind_next(const std::vector<double>& values);
  void bind_next(Blob blob);
  void bind_next(std::nullopt_t);
  template <class T>
  void bind_next(const std::optional<T>& value) {
    value ? bind_next(*value) : bind_next(std::nullopt);
  }
  // True: there is a row. False: there are no more.
  bool step();
  // Steps to its end and ignores the rows.
  void run();
  Row row() { return Row(statement_.get(), taken_); }
  // Steps through the rows: for (Row row : statement.rows()).
  auto rows();

  std::vector<std::string> column_names() const;
  bool is_empty() const { return statement_ == nullptr; }  // the SQL holds nothing but comments
  bool only_reads() const;
  bool has_more() const { return has_more_; }  // the SQL goes on after this statement

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  void check(int code) const;

  const Connection* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
  std::uint64_t taken_ = 0;  // by the caller: bytes of its rows
  bool has_more_ = false;
};

class RowIterator {
 public:
  explicit RowIterator(Statement& statement) : statement_(statement), has_row_(statement.step()) {}
  Row operator*() const { return statement_.row(); }
  void operator++() { has_row_ = statement_.step(); }
  bool operator==(std::default_sentinel_t) const { return !has_row_; }

 private:
  Statement& statement_;
  bool has_row_;
};

inline auto Statement::rows() {
  struct Rows {
    Statement& statement;
    RowIterator begin() const { return RowIterator(statement); }
    std::default_sentinel_t end() const { return {}; }
  };
  return Rows{*this};
}

}  // namespace gktune::sqlite
