#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/sql/connection.h"

struct sqlite3;

namespace gktune::sqlite {

// One connection to one file, hardened against hostile contents. Throws sql::Failure.
class Connection : public sql::Connection {
 public:
  enum class Access {
    create,     // read and write; creates the file if there is none
    read,       // other programs may write
    tidy_read,  // the same, and leaves no log beside the file; for a user who may write it
    immutable,  // no program writes; needs no permission to write beside the file
  };

  // Waits up to `patience` for locks of other programs.
  Connection(const std::filesystem::path& path, Access access, std::chrono::milliseconds patience);
  static Connection in_memory();
  // Reads a copy of the bytes of a file.
  static Connection from_bytes(std::string_view bytes);

  void execute(const std::string& sql) override;
  std::unique_ptr<sql::Cursor> prepare(std::string_view sql) const override;
  std::int64_t changes() const override;
  std::size_t most_parameters() const override;
  std::int64_t now_ms() const override;
  void begin(Begin kind) override;
  void commit() override;
  void roll_back() noexcept override;
  std::string quick_check() override;
  void shrink() override;

  bool is_read_only() const;
  // Reads what is left of a file that was cut or whose schema is damaged. For a connection that cannot write.
  void tolerate_damage();
  // Reads the schema. A damaged one may have no end.
  void load_schema();
  // Gives unused pages back to the file system.
  void compact();
  // Replaces the contents of the target.
  void copy_to(Connection& target) const;
  // Makes the tables of another file readable as NAME.table.
  void attach(const std::filesystem::path& path, Access access, const std::string& name);

  // Bounds the work of each step and script, and the rows of each statement, by the size of the file: pages
  // that point to each other in a circle have rows without end. Without a bound initially.
  void limit_work();
  // Statement calls these before each step and after each row. `taken` is what its rows held so far.
  void begin_step() const { work_->done = 0; }
  void require_bounded(std::uint64_t taken) const {
    if (taken > work_->most_bytes && work_->is_limited) require_more_bytes(taken);
  }

  sqlite3* handle() const { return handle_.get(); }
  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  // Counts SQLite's instructions for the step in progress. SQLite keeps its address.
  struct Work {
    std::vector<std::filesystem::path> files;
    bool is_limited = false;
    std::optional<std::clock_t> loading_since;  // the schema, by the time on processors
    std::int64_t done = 0, most = 0;
    std::uint64_t most_bytes = 0;
    void adapt();  // the limits to the present sizes of the files
  };
  void count_row_by_row();
  class WithoutLimit;

  void require_more_bytes(std::uint64_t taken) const;

  Connection(const std::string& name, int flags, std::chrono::milliseconds patience);

  std::unique_ptr<Work> work_ = std::make_unique<Work>();
  std::unique_ptr<sqlite3, Close> keeper_;  // closed last; see Access::tidy_read
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace gktune::sqlite
