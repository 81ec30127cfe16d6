#include "db/open.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "db/schema.h"
#include "db/sql/failure.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;
using sql::Failure;

// A trial writes some ten pages, and merging the log waits for the disk, during which nothing is tuned: it is
// done each time the log has grown to this number of pages.
constexpr int kMergedPages = 10'000;

// Reading more than this before a run would delay its start by more than half a second.
constexpr std::uintmax_t kCheckedBytes = std::uintmax_t{64} << 20;

bool may(int what, const fs::path& path) { return faccessat(AT_FDCWD, path.c_str(), what, AT_EACCESS) == 0; }

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

// A rollback journal that names another journal makes SQLite delete files. gktune writes no such journal: it
// comes from somebody else.
bool names_another_journal(const fs::path& journal) {
  constexpr std::string_view kMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::ifstream file(journal, std::ios::binary);
  std::string end(kMagic.size(), '\0');
  return file.seekg(-static_cast<std::streamoff>(kMagic.size()), std::ios::end) &&
         file.read(end.data(), std::ssize(end)) && end == kMagic;
}

// Refuses what SQLite would explain badly, or follow to other files.
void inspect(const fs::path& path) {
  if (path.empty()) throw Failure("no path of a database given");
  std::error_code error;
  auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return;
  if (error) throw Failure("cannot be read: " + error.message());
  if (fs::is_directory(status)) throw Failure("is a directory, not a database");
  if (!fs::is_regular_file(status)) throw Failure("is not a regular file");
  if (!may(R_OK, path)) throw Failure("cannot be read: " + std::generic_category().message(errno));
  // A link beside a file from somebody else leads to a file that SQLite would write.
  for (const char* suffix : {"-journal", "-wal", "-shm"}) {
    const auto type = fs::symlink_status(beside(path, suffix), error).type();
    if (type != fs::file_type::not_found && type != fs::file_type::regular)
      throw Failure(beside(path, suffix).string() + " is not a regular file");
  }
  const fs::path journal = beside(path, "-journal");
  if (names_another_journal(journal))
    throw Failure(journal.string() + " makes SQLite change other files; gktune does not follow it");
}

void require_file(const fs::path& path) {
  inspect(path);
  std::error_code error;
  if (!fs::exists(path, error)) throw Failure("no such file", Failure::Cause::missing);
  if (fs::file_size(path, error) == 0) throw Failure("empty: nothing was tuned yet", Failure::Cause::missing);
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
void use_write_ahead_log(sqlite::Connection& connection, std::chrono::milliseconds patience) {
  auto deadline = std::chrono::steady_clock::now() + patience;
  while (true) {
    try {
      if (connection.text("PRAGMA journal_mode") == "wal") return;
      if (connection.text("PRAGMA journal_mode = WAL") == "wal") return;
      throw Failure("its file system has no shared memory, which a write-ahead log needs");
    } catch (const Failure& failure) {
      if (!failure.is(Failure::Cause::busy) || std::chrono::steady_clock::now() > deadline) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// Opens and reads a file. In a folder without write permission, or on a full disk, a file in WAL mode can be
// read only as immutable, which is safe if there is no log.
sqlite::Connection open_readable(const fs::path& path, std::chrono::milliseconds patience, bool is_damaged) {
  const auto open = [&](sqlite::Connection::Access access) {
    sqlite::Connection connection(path, access, patience);
    connection.limit_work();
    if (is_damaged) connection.tolerate_damage();
    return connection;
  };
  sqlite::Connection connection = open(reading_access(path));
  try {
    connection.integer("PRAGMA schema_version");
    if (!is_damaged) connection.load_schema();
    return connection;
  } catch (const Failure& failure) {
    if (!failure.is(Failure::Cause::no_access) && !failure.is(Failure::Cause::no_space)) throw;
    if (has_content(beside(path, "-wal"))) {
      throw Failure(
          "its latest trials are in a log beside it, which cannot be read without the right and the room to "
          "write there");
    }
  }
  return open(sqlite::Connection::Access::immutable);
}

void verify(sqlite::Connection& connection) {
  if (!has_schema(connection)) throw Failure("empty: nothing was tuned yet", Failure::Cause::missing);
  const std::string difference = schema_difference(connection);
  if (!difference.empty()) throw Failure("damaged: " + difference, Failure::Cause::damaged_file);
}

}  // namespace

// A log that a reader leaves beside the file belongs to its user, and bars others from writing. Where there
// is a log already, a program writes, or was killed.
sqlite::Connection::Access reading_access(const fs::path& path) {
  std::error_code error;
  if (has_content(beside(path, "-wal"))) return sqlite::Connection::Access::read;
  if (may_write(path)) return sqlite::Connection::Access::tidy_read;
  return fs::exists(beside(path, "-wal"), error) ? sqlite::Connection::Access::read
                                                 : sqlite::Connection::Access::immutable;
}

sqlite::Connection open_for_writing(const fs::path& path, std::chrono::milliseconds patience) {
  inspect(path);
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  const fs::path folder = (error ? fs::absolute(path) : file).parent_path();
  if (!fs::is_directory(folder, error)) throw Failure("there is no directory " + folder.string());
  require_writable(path, folder);
  // The first write must not hit a foreign or damaged file. A journal is left where a program was killed while
  // it created the file: reading would need to write.
  if (has_content(path) && !has_content(beside(path, "-journal"))) {
    sqlite::Connection existing = open_readable(path, patience, false);
    if (has_schema(existing)) {
      verify(existing);
      const std::string finding = fs::file_size(path) <= kCheckedBytes ? existing.quick_check() : "";
      if (!finding.empty()) throw Failure("damaged: " + finding, Failure::Cause::damaged_file);
    }
  }
  sqlite::Connection connection(path, sqlite::Connection::Access::create, patience);
  if (connection.is_read_only()) throw Failure("cannot be written: it is read-only");
  use_write_ahead_log(connection, patience);
  create_schema(connection);
  verify(connection);
  connection.limit_work();
  // The log is written at each commit and survives a kill; a power cut may lose the last trials.
  connection.execute("PRAGMA synchronous = NORMAL");
  connection.integer("PRAGMA wal_autocheckpoint = " + std::to_string(kMergedPages));
  return connection;
}

sqlite::Connection open_for_reading(const fs::path& path, std::chrono::milliseconds patience) {
  require_file(path);
  sqlite::Connection connection = open_readable(path, patience, false);
  verify(connection);
  return connection;
}

sqlite::Connection open_bytes(std::string_view bytes) {
  if (bytes.empty()) throw Failure("empty: nothing was tuned yet", Failure::Cause::missing);
  sqlite::Connection connection = sqlite::Connection::from_bytes(bytes);
  connection.limit_work();
  verify(connection);
  return connection;
}

sqlite::Connection open_damaged(const fs::path& path, std::chrono::milliseconds patience) {
  require_file(path);
  sqlite::Connection connection = open_readable(path, patience, true);
  if (!has_schema(connection)) throw Failure("empty: nothing was tuned yet", Failure::Cause::missing);
  return connection;
}

void remove_database(const fs::path& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path.string() + suffix, ignored);
}

}  // namespace gktune
