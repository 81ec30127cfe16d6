#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/values.h"

namespace gktune::sql {

class Connection;

// Bytes to bind that are no text.
struct Blob {
  std::string_view bytes;
};

// A statement of one engine. Texts and bytes of a row are valid until the next step.
class Cursor {
 public:
  enum class Kind { null, integer, real, text, blob };

  virtual ~Cursor() = default;

  virtual void reset() = 0;  // forgets the values that were bound, and the rows
  virtual void bind(std::int64_t value) = 0;
  virtual void bind(double value) = 0;
  virtual void bind(std::string_view text) = 0;
  virtual void bind(Blob blob) = 0;
  virtual void bind_null() = 0;
  virtual bool step() = 0;

  virtual int columns() const = 0;
  virtual std::string name(int column) const = 0;
  virtual Kind kind(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;
  virtual std::string_view text(int column) const = 0;
  virtual std::string_view bytes(int column) const = 0;

  virtual void require_query() const = 0;  // throws unless the SQL is one statement that only reads
};

// The current row of a statement; reads its columns one after the other.
class Row {
 public:
  explicit Row(const Cursor& cursor) : cursor_(&cursor) {}

  std::int64_t integer() { return cursor_->integer(column_++); }
  double real();
  bool boolean() { return integer() != 0; }
  std::string text() { return std::string(view()); }
  std::string_view view() { return cursor_->text(column_++); }  // a text; valid until the next step
  std::optional<std::string_view> maybe_view();
  std::vector<double> reals();  // of a blob
  std::string bytes() { return std::string(cursor_->bytes(column_++)); }
  std::optional<std::int64_t> maybe_integer();
  std::optional<double> maybe_real();
  std::optional<Value> maybe_value();  // of any kind; a blob is described by a text
  bool is_null() const { return cursor_->kind(column_) == Cursor::Kind::null; }  // the next column
  bool skip_null();                    // true: the next column was NULL, and is skipped

 private:
  const Cursor* cursor_;
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
  // Binds the values of the other statement's row to the next parameters, as they are.
  void bind_next_row(const Statement& other);
  // Resets it; bind_next() then binds one parameter after the other.
  Statement& start();
  void bind_next(std::int64_t value) { cursor_->bind(value); }
  void bind_next(int value) { bind_next(static_cast<std::int64_t>(value)); }
  void bind_next(bool value) { bind_next(static_cast<std::int64_t>(value)); }
  void bind_next(double value);  // not a number becomes NULL
  void bind_next(std::string_view value) { cursor_->bind(value); }
  void bind_next(const std::string& value) { bind_next(std::string_view(value)); }
  void bind_next(const char* value) { bind_next(std::string_view(value)); }
  void bind_next(const std::vector<double>& values);
  void bind_next(Blob blob) { cursor_->bind(blob); }
  void bind_next(std::nullopt_t) { cursor_->bind_null(); }
  template <class T>
  void bind_next(const std::optional<T>& value) {
    value ? bind_next(*value) : bind_next(std::nullopt);
  }
  // True: there is a row. False: there are no more.
  bool step() { return cursor_->step(); }
  // Steps to its end and ignores the rows.
  void run();
  Row row() const { return Row(*cursor_); }
  // Steps through the rows: for (Row row : statement.rows()).
  auto rows();

  std::vector<std::string> column_names() const;
  void require_query() const { cursor_->require_query(); }

 private:
  std::unique_ptr<Cursor> cursor_;
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

}  // namespace gktune::sql
