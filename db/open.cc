#include "db/open.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <string_view>
#include <thread>

#include "db/schema.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/statement.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;
using sqlite::Database;
using sqlite::Failure;
using sqlite::Statement;

// For the next row of a query, each of which reads through an index.
constexpr std::chrono::seconds kStepLimit(60);
// A trial writes some ten pages, and merging the log waits for the disk, during which nothing is tuned.
constexpr std::chrono::seconds kMergeInterval(5);

// Comparing the indexes of a larger file with their tables would delay the start of a
// run by more than half a second.
constexpr std::uintmax_t kWhollyVerified = std::uintmax_t{32} << 20;

bool may(int what, const fs::path& path) { return faccessat(AT_FDCWD, path.c_str(), what, AT_EACCESS) == 0; }

// The header of a file in "The SQLite Database File Format".
class Header {
 public:
  explicit Header(const fs::path& path) {
    if (!may(R_OK, path)) throw Failure("cannot be read: " + std::generic_category().message(errno));
    size_ = sqlite::read_beginning(path, bytes_);
  }

  bool is_empty() const { return size_ == 0; }
  bool is_sqlite() const {
    return size_ == bytes_.size() &&
           std::string_view(bytes_.data(), 16) == std::string_view("SQLite format 3\0", 16);
  }
  std::int64_t user_version() const { return number_at(60); }
  std::int64_t application_id() const { return number_at(68); }

 private:
  std::int64_t number_at(std::size_t offset) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes_[offset + i]);
    return number;
  }

  std::array<char, 100> bytes_{};
  std::size_t size_ = 0;
};

// SQLite keeps its log beside the file that a link names.
fs::path beside(const fs::path& path, std::string_view suffix) {
  std::error_code error;
  fs::path file = fs::canonical(path, error);
  if (error) file = path;
  return file += suffix;
}

bool has_content(const fs::path& path) {
  std::error_code error;
  auto size = fs::file_size(path, error);
  return !error && size > 0;
}

// Refuses files that can be recognized without SQLite, which would lock the file and create others beside it.
void inspect(const fs::path& path) {
  std::error_code error;
  auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return;
  if (error) throw Failure("cannot be read: " + error.message());
  if (fs::is_directory(status)) throw Failure("is a directory, not a database");
  if (!fs::is_regular_file(status)) throw Failure("is not a regular file");
  // A program that was killed while it created the file left a journal, which SQLite rolls back.
  if (has_content(beside(path, "-journal"))) return;
  Header header(path);
  if (header.is_empty()) return;
  if (!header.is_sqlite()) throw Failure("not a database of gktune");
  if (header.application_id() != kApplicationId) throw Failure(kForeignFile);
  auto known = static_cast<std::int64_t>(schema_steps().size());
  if (header.user_version() > known) throw Failure(newer_schema(header.user_version(), known));
}

bool may_write(const fs::path& path) { return may(W_OK, path); }

// Names what SQLite would only call read-only. The log of a writer lies beside the file.
void require_writable(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const bool is_new = !fs::exists(path, error);
  if (!is_new && !may_write(path)) throw Failure("cannot be written: it is read-only");
  bool has_log = false;
  for (const char* suffix : {"-wal", "-shm"}) {
    const fs::path log = beside(path, suffix);
    if (!fs::exists(log, error)) continue;
    has_log = true;
    if (!may_write(log)) throw Failure("cannot be written: " + log.string() + " belongs to another user");
  }
  if (has_log || may(W_OK | X_OK, folder)) return;
  throw Failure((is_new ? "cannot be made in " : "cannot be written: it needs a log in ") + folder.string() +
                ": " + std::generic_category().message(errno));
}

// Changing to WAL needs exclusive access, for which SQLite does not wait by itself.
void use_write_ahead_log(Database& database, std::chrono::milliseconds patience) {
  auto deadline = std::chrono::steady_clock::now() + patience;
  while (true) {
    try {
      if (database.text("PRAGMA journal_mode") == "wal") return;
      if (database.text("PRAGMA journal_mode = WAL") == "wal") return;
      throw Failure("its file system has no shared memory, which a write-ahead log needs");
    } catch (const Failure& failure) {
      if (!failure.is_busy() || std::chrono::steady_clock::now() > deadline) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// A log that a reader leaves beside the file belongs to its user, and bars others from writing. Where there
// is a log already, a program writes, or was killed.
Database::Access reading_access(const fs::path& path) {
  std::error_code error;
  const bool has_log = has_content(beside(path, "-wal")) || has_content(beside(path, "-journal"));
  if (has_log) return Database::Access::read;
  if (may_write(path)) return Database::Access::tidy_read;
  return fs::exists(beside(path, "-wal"), error) ? Database::Access::read : Database::Access::immutable;
}

enum class Contents { sound, damaged };

// Opens and reads a file. In a folder without write permission, or on a full disk, a file in WAL mode can be
// read only as immutable, which is safe if there is no log.
Database open_readable(const fs::path& path, std::chrono::milliseconds patience,
                       Contents contents = Contents::sound) {
  const auto open = [&](Database::Access access) {
    Database database(path, access, patience);
    if (contents == Contents::damaged) database.tolerate_damage();
    return database;
  };
  Database database = open(reading_access(path));
  try {
    database.integer("PRAGMA schema_version");
    return database;
  } catch (const Failure& failure) {
    if (!failure.is_without_access() && !failure.is_out_of_space()) throw;
    if (has_content(beside(path, "-wal"))) {
      throw Failure(
          "its latest trials are in a log beside it, which cannot be read without the right and the room to "
          "write there");
    }
  }
  return open(Database::Access::immutable);
}

std::span<const std::string_view> steps_to(std::int64_t version) {
  if (version < 0 || version > std::ssize(schema_steps()))
    throw Failure(newer_schema(version, std::ssize(schema_steps())));
  return schema_steps().first(static_cast<std::size_t>(version));
}

void verify_schema_of(Database& database) {
  verify_schema(database, steps_to(database.integer("PRAGMA user_version")));
}

// Reads all of an existing file before the first write, which must not hit a damaged one.
void check_before_writing(const fs::path& path, std::chrono::milliseconds patience) {
  if (!has_content(path)) return;
  // After a kill while the file was created, SQLite has to write to make it readable.
  if (has_content(beside(path, "-journal"))) return;
  Database database = open_readable(path, patience);
  verify_schema_of(database);
  try {
    if (fs::file_size(path) <= kWhollyVerified)
      database.verify();
    else
      database.verify_pages();
  } catch (const Failure& failure) {
    if (!failure.is_damage()) throw;
    if (const auto row = misfit(database); !row.empty())
      throw Failure("damaged: " + row, Failure::kDamagedFile);
    throw;
  }
  Statement orphan(database, kOrphanQuery);
  if (orphan.step()) throw Failure("damaged: " + orphan.row().text(), Failure::kDamagedFile);
}

bool is_readable_if_damaged(const fs::path& path, std::chrono::milliseconds patience) {
  try {
    open_damaged(path, patience);
    return true;
  } catch (const Failure&) {
    return false;
  }
}

// Opens a file, and decides whether `gktune db repair` helps where this fails.
template <class Open>
auto opened(const fs::path& path, std::chrono::milliseconds patience, Open open) {
  try {
    return open();
  } catch (Failure& failure) {
    if (failure.is_repairable() && !is_readable_if_damaged(path, patience)) failure.refuse_repair();
    throw;
  }
}

Database open_to_write(const fs::path& path, std::chrono::milliseconds patience) {
  if (path.empty()) throw Failure("no path of a database given");
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  const fs::path folder = (error ? fs::absolute(path) : file).parent_path();
  if (!fs::is_directory(folder, error)) throw Failure("there is no directory " + folder.string());
  inspect(path);
  require_writable(path, folder);
  check_before_writing(path, patience);
  Database database(path, Database::Access::create, patience);
  if (database.is_read_only()) throw Failure("cannot be written: it is read-only");
  // The mark of gktune goes into the file itself, before there is a log.
  migrate(database, schema_steps());
  verify_schema_of(database);
  database.limit_step_time(kStepLimit);
  use_write_ahead_log(database, patience);
  // The log is written at each commit and survives a kill; a power cut may lose the last trials.
  database.execute("PRAGMA synchronous = NORMAL");
  database.merge_log_every(kMergeInterval);
  return database;
}

Database open_to_read(const fs::path& path, std::chrono::milliseconds patience) {
  if (path.empty()) throw Failure("no path of a database given");
  inspect(path);
  std::error_code error;
  if (!fs::exists(path, error)) throw Failure("no such file");
  if (fs::file_size(path, error) == 0) throw Failure("empty: nothing was tuned yet");
  Database database = open_readable(path, patience);
  database.limit_step_time(kStepLimit);
  verify_schema_of(database);
  auto known = static_cast<std::int64_t>(schema_steps().size());
  if (database.integer("PRAGMA user_version") == known) return database;
  Database copy = Database::in_memory();
  database.copy_to(copy);
  migrate(copy, schema_steps());
  return copy;
}

}  // namespace

Database open_for_writing(const fs::path& path, std::chrono::milliseconds patience) {
  return opened(path, patience, [&] { return open_to_write(path, patience); });
}

Database open_for_reading(const fs::path& path, std::chrono::milliseconds patience) {
  return opened(path, patience, [&] { return open_to_read(path, patience); });
}

std::optional<Database> open_again(const fs::path& path, std::chrono::milliseconds patience) {
  Database database = open_readable(path, patience);
  database.limit_step_time(kStepLimit);
  if (database.integer("PRAGMA user_version") != static_cast<std::int64_t>(schema_steps().size()))
    return std::nullopt;
  return database;
}

Database open_damaged(const fs::path& path, std::chrono::milliseconds patience) {
  inspect(path);
  std::error_code error;
  if (!fs::exists(path, error)) throw Failure("no such file");
  if (fs::file_size(path, error) == 0) throw Failure("empty: nothing was tuned yet");
  Database database = open_readable(path, patience, Contents::damaged);
  database.limit_step_time(kStepLimit);
  steps_to(database.integer("PRAGMA user_version"));
  // Rows of the others depend on these.
  for (const char* table : {"devices", "studies", "trials"}) {
    try {
      Statement(database, std::string("SELECT 1 FROM ") + table);
    } catch (const Failure& failure) {
      if (failure.is_busy()) throw;
      throw Failure(std::string("damaged: its table ") + table + " cannot be found");
    }
  }
  return database;
}

}  // namespace gktune
