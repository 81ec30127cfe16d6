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

struct sqlite3;

namespace gktune::sqlite {

// One connection to one file, hardened against hostile contents. Throws Failure.
class Connection {
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

  // Runs statements that return no rows.
  void execute(const std::string& sql);
  // The first column of the first row.
  std::int64_t integer(const std::string& sql);
  std::string text(const std::string& sql);

  std::int64_t last_id() const;
  std::int64_t changes() const;  // rows that the latest statement added, changed or removed
  bool is_read_only() const;
  // The first finding of SQLite's quick_check; empty if there is none.
  std::string quick_check();
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

// Rolls back unless it is committed. The Connection must outlive it.
class Transaction {
 public:
  enum class Kind {
    read,   // sees one state of the file while other programs write
    write,  // takes the lock at once, so that no later statement has to wait
  };

  Transaction(Connection& connection, Kind kind);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  void commit();

 private:
  Connection& connection_;
  bool is_open_ = true;
};

}  // namespace gktune::sqlite
