#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

struct sqlite3;

namespace gktune::sqlite {

// One connection to one file. What fails, throws Failure.
class Database {
 public:
  enum class Access {
    create,     // read and write; made where it is not there
    read,       // as long as others may write
    immutable,  // promised that nobody writes: needs no right to write beside it
  };

  // Waits for locks of others as long as `patience`.
  Database(const std::filesystem::path& path, Access access, std::chrono::milliseconds patience);
  static Database in_memory();

  // Runs statements that return nothing.
  void execute(const std::string& sql);
  // The first column of the first row.
  std::int64_t integer(const std::string& sql);
  std::string text(const std::string& sql);

  std::int64_t last_id() const;
  bool is_read_only() const;
  // Reads all of it, and fails where something does not fit together: for whoever finds nothing where there
  // should be something. A page that was overwritten may look like one with nothing on it.
  void verify() const;
  // All of it into another, whose contents it replaces.
  void copy_to(Database& target) const;

  sqlite3* handle() const { return handle_.get(); }
  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  Database(const std::string& name, int flags, std::chrono::milliseconds patience);

  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace gktune::sqlite
