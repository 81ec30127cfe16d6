#pragma once

#include "db/sql/statement.h"

struct sqlite3_stmt;

namespace gktune::sqlite {

class Connection;

class Cursor : public sql::Cursor {
 public:
  Cursor(const Connection& connection, std::string_view sql);

  void reset() override;
  void bind(std::int64_t value) override;
  void bind(double value) override;
  void bind(std::string_view text) override;
  void bind(sql::Blob blob) override;
  void bind_null() override;
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
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  void check(int code) const;

  const Connection* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
  mutable std::uint64_t taken_ = 0;  // by the caller: bytes of its rows
  bool has_more_ = false;
};

}  // namespace gktune::sqlite
