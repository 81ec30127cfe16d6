#pragma once

#include <vector>

#include "db/postgres/connection.h"
#include "db/sql/statement.h"

namespace gktune::postgres {

// A statement that runs at its first step and holds all its rows.
class Cursor : public sql::Cursor {
 public:
  Cursor(const Connection& connection, std::string sql) : connection_(&connection), sql_(std::move(sql)) {}

  void reset() override;
  void bind(std::int64_t value) override { parameters_.push_back({std::to_string(value)}); }
  void bind(double value) override;
  void bind(std::string_view text) override;
  void bind(sql::Blob blob) override { parameters_.push_back({std::string(blob.bytes), true}); }
  void bind_null() override { parameters_.push_back({}); }
  bool step() override;

  int columns() const override;
  std::string name(int column) const override;
  Kind kind(int column) const override;
  std::int64_t integer(int column) const override;
  double real(int column) const override;
  std::string_view text(int column) const override;
  std::string_view bytes(int column) const override;

  void require_query() const override;

 private:
  void run() const;

  const Connection* connection_;
  std::string sql_;
  std::vector<Parameter> parameters_;
  mutable ResultPtr result_;
  mutable std::map<int, std::string> decoded_;  // bytes of the row by column
  int row_ = -1;
};

}  // namespace gktune::postgres
