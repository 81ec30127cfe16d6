#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

struct sqlite3;

namespace gktune::sqlite {

// One connection to one file, hardened against hostile contents. Throws Failure.
class Database {
 public:
  enum class Access {
    create,     // read and write; creates the file if there is none
    read,       // other programs may write
    tidy_read,  // the same, and leaves no log beside the file; for a user who may write it
    immutable,  // no program writes; needs no permission to write beside the file
  };

  // Waits up to `patience` for locks of other programs.
  Database(const std::filesystem::path& path, Access access, std::chrono::milliseconds patience);
  static Database in_memory();

  // Runs statements that return no rows.
  void execute(const std::string& sql);
  // The first column of the first row.
  std::int64_t integer(const std::string& sql);
  std::string text(const std::string& sql);

  std::int64_t last_id() const;
  std::int64_t changes() const;  // rows that the latest statement added, changed or removed
  bool is_read_only() const;
  // Reads everything and fails if something is inconsistent. For callers that find nothing: an overwritten
  // page may look like an empty one.
  void verify() const;
  // The same without comparing indexes with their tables, which takes most of the time.
  void verify_pages() const;
  // Reads what is left of a file that was cut or whose schema is damaged. For a connection that cannot write.
  void tolerate_damage();
  // Gives unused pages back to the file system.
  void compact();
  // Replaces the contents of the target.
  void copy_to(Database& target) const;

  // Bounds the time until a statement has its next row; longer ones fail. Without a bound initially.
  void limit_step_time(std::chrono::milliseconds limit);
  // Runs within a statement's step.
  void begin_step() const;
  // Moves what the write-ahead log holds into the file after a commit, if the log is long and this has not
  // been done for so long. It waits for the disk. Initially it is done whenever the log is long.
  void merge_log_every(std::chrono::milliseconds interval);

  sqlite3* handle() const { return handle_.get(); }
  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  // Times the step in progress. SQLite keeps its address.
  struct StepClock {
    std::chrono::milliseconds limit{0};  // 0: none
    std::optional<std::chrono::steady_clock::time_point> begin;  // known from the first look at the clock on
  };

  // SQLite keeps its address.
  struct LogClock {
    std::chrono::milliseconds interval;
    std::chrono::steady_clock::time_point merged;
  };

  class WithoutLimit;

  Database(const std::string& name, int flags, std::chrono::milliseconds patience);
  void run_check(const std::string& pragma) const;

  std::unique_ptr<StepClock> clock_ = std::make_unique<StepClock>();
  std::unique_ptr<LogClock> log_clock_;
  std::unique_ptr<sqlite3, Close> keeper_;  // closed last; see Access::tidy_read
  std::unique_ptr<sqlite3, Close> handle_;
};

// Reads the first bytes of a file, and returns how many there are. A process that closes a file itself loses its
// locks on it, also those of databases that it has open.
std::size_t read_beginning(const std::filesystem::path& path, std::span<char> bytes);

}  // namespace gktune::sqlite
