#include "db/sqlite/connection.h"

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "db/sql/failure.h"
#include "db/sql/statement.h"
#include "db/sqlite/cursor.h"
#include "tuner/core/files.h"
#include "tuner/core/quantity.h"

namespace gktune::sqlite {

using sql::Failure;
using sql::Statement;

namespace {

// Far above the needs of gktune, far below the memory of a machine.
constexpr int kMostParameters = 100;
constexpr std::pair<int, int> kLimits[] = {
    {SQLITE_LIMIT_LENGTH, 64 << 20},
    {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
    {SQLITE_LIMIT_COLUMN, 200},
    {SQLITE_LIMIT_EXPR_DEPTH, 100},
    {SQLITE_LIMIT_COMPOUND_SELECT, 20},
    {SQLITE_LIMIT_VDBE_OP, 100'000},
    {SQLITE_LIMIT_FUNCTION_ARG, 50},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
    {SQLITE_LIMIT_VARIABLE_NUMBER, kMostParameters},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 4},  // rows that go with others count as triggers
};

// A schema of this program takes a millisecond.
constexpr double kLongestLoadingS = 1;
// Between two calls of the progress handler.
constexpr int kInstructions = 10'000;
// Statements over all trials need 0.1 instructions for a byte of the file, and merges 0.5.
constexpr std::int64_t kLeastWork = 20'000'000, kWorkPerByte = 4;
// Their rows hold about two bytes for each byte of the file.
constexpr std::uint64_t kLeastBytes = std::uint64_t{32} << 20, kBytesPerByte = 8;

// Without holes. A file system that does not tell what it stores says 0.
std::uint64_t stored_bytes(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return 0;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const auto stored = static_cast<std::uint64_t>(status.st_blocks) * 512;
  return stored > 0 ? std::min(size, stored) : size;
}

// An absolute path: SQLite has its own meanings for "", ":memory:" and "file:…".
std::string plain_name(const std::filesystem::path& path) { return std::filesystem::absolute(path).string(); }

std::string uri_name(const std::filesystem::path& path, const std::string& mode) {
  std::string uri = "file:";
  for (const char c : plain_name(path))
    uri += c == '%'   ? std::string("%25")
           : c == '?' ? std::string("%3f")
           : c == '#' ? std::string("%23")
                      : std::string(1, c);
  return uri + "?" + mode;
}

std::string name_for(const std::filesystem::path& path, Connection::Access access) {
  return access == Connection::Access::immutable ? uri_name(path, "immutable=1") : plain_name(path);
}

int flags_for(Connection::Access access) {
  // One thread at a time: a lock for each column of a row would take a sixth of the
  // time of reading all winners.
  constexpr int kReading = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
  switch (access) {
    case Connection::Access::create:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
    case Connection::Access::read:
    case Connection::Access::tidy_read:
      return kReading;
    case Connection::Access::immutable:
      break;
  }
  return kReading | SQLITE_OPEN_URI;
}

Failure::Cause cause_of(int code) {
  using enum Failure::Cause;
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
      return damaged_file;
    case SQLITE_NOTADB:
      return foreign_file;
    case SQLITE_BUSY:
      return busy;
    case SQLITE_INTERRUPT:
      return interrupted;
    case SQLITE_CONSTRAINT:
      return constraint;
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      return no_access;
    case SQLITE_FULL:
      return no_space;
    case SQLITE_NOMEM:
      return no_memory;
    case SQLITE_IOERR:
      return code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_TRUNCATE || code == SQLITE_IOERR_SHMSIZE
                 ? no_space
                 : other;
    default:
      return other;
  }
}

// SQLite forgets why a write failed. True if the file or its log is as large as files may be.
bool is_at_size_limit(sqlite3* handle, int code) {
  rlimit limit{};
  const char* name = sqlite3_db_filename(handle, "main");
  const bool is_write =
      code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_TRUNCATE || code == SQLITE_IOERR_SHMSIZE;
  if (!is_write || name == nullptr || ::getrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
  constexpr std::uintmax_t kLargestPage = 65536;
  for (const char* suffix : {"", "-wal", "-journal", "-shm"}) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(std::string(name) + suffix, error);
    if (!error && limit.rlim_cur != RLIM_INFINITY && size + kLargestPage > limit.rlim_cur) return true;
  }
  return false;
}

// The usual causes in the user's words, others in SQLite's.
std::string reason_of(sqlite3* handle, int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "locked by another program";
    case SQLITE_NOTADB:
      return "not a database of gktune";
    case SQLITE_CORRUPT:
      return std::string("damaged: ") + sqlite3_errmsg(handle);
    case SQLITE_FULL:
      return "the disk is full";
    case SQLITE_READONLY:
      if (code == SQLITE_READONLY_DBMOVED) return "was removed or replaced while in use";
      return std::string("cannot be written: ") + sqlite3_errmsg(handle);
    case SQLITE_NOMEM:
      return "out of memory";
    case SQLITE_INTERRUPT:
      return "a query takes too long: it asks too much, or the file is damaged";
    case SQLITE_CONSTRAINT:
      return std::string("a row breaks a rule of the schema: ") + sqlite3_errmsg(handle);
    default:
      break;
  }
  std::string text = sqlite3_errmsg(handle);
  if ((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN) {
    int reason = sqlite3_system_errno(handle);
    if (reason == 0 && is_at_size_limit(handle, code)) reason = EFBIG;
    if (reason != 0) text += ": " + system_reason(reason);
  }
  return text;
}

}  // namespace

// Suspends the limit of the work.
class Connection::WithoutLimit {
 public:
  explicit WithoutLimit(Work& work) : work_(work), was_limited_(std::exchange(work.is_limited, false)) {}
  WithoutLimit(const WithoutLimit&) = delete;
  WithoutLimit& operator=(const WithoutLimit&) = delete;
  ~WithoutLimit() { work_.is_limited = was_limited_; }

 private:
  Work& work_;
  bool was_limited_;
};

void Connection::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Connection::Connection(const std::string& name, int flags, std::chrono::milliseconds patience) {
  sqlite3* handle = nullptr;
  int code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  handle_.reset(handle);
  if (handle == nullptr) throw Failure("out of memory", Failure::Cause::no_memory);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(handle, static_cast<int>(patience.count()));
  // The file may come from anyone: its schema runs no functions with side effects and no triggers.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
  for (auto [limit, value] : kLimits) sqlite3_limit(handle, limit, value);
  // Checks the offsets in a page before using them.
  execute("PRAGMA cell_size_check = ON");
}

Connection::Connection(const std::filesystem::path& path, Access access, std::chrono::milliseconds patience)
    : Connection(name_for(path, access), flags_for(access), patience) {
  if (access != Access::tidy_read) return;
  // A connection that may only read leaves the log that it made. One that may write
  // removes it if it is the last.
  sqlite3* keeper = nullptr;
  sqlite3_open_v2(name_for(path, access).c_str(), &keeper, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                  nullptr);
  keeper_.reset(keeper);
  sqlite3_exec(keeper, "PRAGMA schema_version", nullptr, nullptr, nullptr);  // opens the log
}

Connection Connection::in_memory() {
  return Connection(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, std::chrono::milliseconds(0));
}

Connection Connection::from_bytes(std::string_view bytes) {
  Connection connection = in_memory();
  auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
  if (copy == nullptr) throw Failure("out of memory", Failure::Cause::no_memory);
  std::memcpy(copy, bytes.data(), bytes.size());
  // There is no log beside bytes: the versions in the header that ask for one become those without.
  if (bytes.size() > 19) {
    for (const std::size_t version : {18, 19}) copy[version] = std::min<unsigned char>(copy[version], 1);
  }
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  const int code = sqlite3_deserialize(connection.handle(), "main", copy, size, size,
                                       SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
  if (code != SQLITE_OK) connection.fail(code);
  return connection;
}

void Connection::execute(const std::string& sql) {
  begin_step();
  int code = sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::unique_ptr<sql::Cursor> Connection::prepare(std::string_view sql) const {
  return std::make_unique<Cursor>(*this, sql);
}

std::int64_t Connection::changes() const { return sqlite3_changes(handle()); }

bool Connection::is_read_only() const { return sqlite3_db_readonly(handle(), "main") == 1; }

std::size_t Connection::most_parameters() const { return kMostParameters; }

std::int64_t Connection::now_ms() const { return now_unix_ms(); }

// Where there is no room for the copy that this takes, or another program writes, the file keeps its size:
// the rows are gone already.
void Connection::shrink() {
  try {
    if (integer("PRAGMA freelist_count") * 4 > integer("PRAGMA page_count")) compact();
  } catch (const Failure& failure) {
    if (!failure.is(Failure::Cause::busy) && !failure.is(Failure::Cause::no_space)) throw;
  }
}

std::string Connection::quick_check() {
  const WithoutLimit whole_file(*work_);  // it meets no page twice
  Statement check(*this, "PRAGMA quick_check(1)");
  const std::string verdict = check.step() ? check.row().text() : "ok";
  return verdict == "ok" ? "" : verdict.substr(verdict.find('\n') + 1);
}

void Connection::tolerate_damage() {
  // With a schema that may be written, SQLite reads files that are shorter than their header says, and the
  // part of the schema before a damaged page.
  sqlite3_db_config(handle(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  execute("PRAGMA writable_schema = ON");
  // The first statement fails if the schema is damaged; the next ones use what it has loaded.
  try {
    load_schema();
  } catch (const Failure& failure) {
    if (!failure.is(Failure::Cause::damaged_file)) throw;
  }
}

void Connection::load_schema() {
  work_->loading_since = std::clock();
  try {
    Statement(*this, "SELECT 1 FROM sqlite_schema LIMIT 1").step();
    work_->loading_since.reset();
  } catch (const Failure& failure) {
    work_->loading_since.reset();
    if (failure.is(Failure::Cause::interrupted))
      throw Failure("damaged: its schema has no end", Failure::Cause::damaged_file);
    throw;
  }
}

void Connection::compact() {
  const WithoutLimit whole_file(*work_);
  sqlite3_limit(handle(), SQLITE_LIMIT_ATTACHED, 1);  // VACUUM attaches a file of its own
  execute("VACUUM");
  sqlite3_limit(handle(), SQLITE_LIMIT_ATTACHED, 0);
}

void Connection::attach(const std::filesystem::path& path, Access access, const std::string& name) {
  sqlite3_limit(handle(), SQLITE_LIMIT_ATTACHED, 1);
  const std::string mode = access == Access::immutable ? "immutable=1" : "mode=ro";
  Statement(*this, "ATTACH ? AS " + name).bind(uri_name(path, mode)).run();
  sqlite3_limit(handle(), SQLITE_LIMIT_ATTACHED, 0);
  work_->files.push_back(path);
}

// SQLite counts all rows of a table in one instruction, which no limit interrupts. Another function of the
// name makes it visit each row.
void Connection::count_row_by_row() {
  static constexpr auto kAdd = [](sqlite3_context* context, std::int64_t more) {
    void* const count = sqlite3_aggregate_context(context, sizeof more);
    if (count != nullptr) *static_cast<std::int64_t*>(count) += more;
  };
  const auto step = [](sqlite3_context* context, int, sqlite3_value**) { kAdd(context, 1); };
  const auto inverse = [](sqlite3_context* context, int, sqlite3_value**) { kAdd(context, -1); };
  const auto value = [](sqlite3_context* context) {
    const void* const count = sqlite3_aggregate_context(context, 0);  // null: there was no row
    sqlite3_result_int64(context, count == nullptr ? 0 : *static_cast<const std::int64_t*>(count));
  };
  sqlite3_create_window_function(handle(), "count", 0, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                 nullptr, step, value, value, inverse, nullptr);
}

void Connection::limit_work() {
  count_row_by_row();
  work_->files.emplace_back(sqlite3_db_filename(handle(), "main"));
  work_->is_limited = true;
  work_->adapt();
  sqlite3_progress_handler(
      handle(), kInstructions,
      [](void* counted) {
        auto& work = *static_cast<Work*>(counted);
        work.done += kInstructions;
        const auto is_over = [&] { return work.is_limited && work.done > work.most; };
        if (is_over()) work.adapt();
        const auto most = static_cast<std::clock_t>(kLongestLoadingS * CLOCKS_PER_SEC);
        if (work.loading_since && std::clock() - *work.loading_since > most) return 1;
        return is_over() ? 1 : 0;
      },
      work_.get());
}

void Connection::Work::adapt() {
  most = kLeastWork;
  most_bytes = kLeastBytes;
  for (const std::filesystem::path& file : files) {
    const std::uint64_t size = stored_bytes(file);
    most += kWorkPerByte * static_cast<std::int64_t>(size);
    most_bytes += kBytesPerByte * size;
  }
}

void Connection::require_more_bytes(std::uint64_t taken) const {
  work_->adapt();
  if (taken > work_->most_bytes)
    throw Failure("damaged: a query finds more rows than the file can hold", Failure::Cause::damaged_file);
}

void Connection::copy_to(Connection& target) const {
  sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", handle(), "main");
  if (backup == nullptr) target.fail(sqlite3_extended_errcode(target.handle()));
  sqlite3_backup_step(backup, -1);
  if (int code = sqlite3_backup_finish(backup); code != SQLITE_OK) target.fail(code);
}

void Connection::fail(int code) const { throw Failure(reason_of(handle(), code), cause_of(code)); }

void Connection::begin(Begin kind) { execute(kind == Begin::read ? "BEGIN" : "BEGIN IMMEDIATE"); }

void Connection::commit() { execute("COMMIT"); }

// After some errors, such as a full disk, SQLite has rolled back already: ignore the result.
void Connection::roll_back() noexcept { sqlite3_exec(handle(), "ROLLBACK", nullptr, nullptr, nullptr); }

}  // namespace gktune::sqlite
