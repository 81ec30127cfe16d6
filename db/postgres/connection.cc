#include "db/postgres/connection.h"

#include <algorithm>
#include <charconv>
#include <regex>

#include "db/postgres/cursor.h"
#include "db/postgres/dialect.h"
#include "db/schema.h"
#include "db/sql/failure.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"

namespace gktune::postgres {

using sql::Failure;

namespace {

// A URI may set each of these. A network that is cut is noticed within a few seconds.
constexpr std::pair<const char*, const char*> kDefaults[] = {
    {"application_name", "gktune"}, {"connect_timeout", "5"},  {"keepalives_idle", "3"},
    {"keepalives_interval", "1"},   {"keepalives_count", "3"}, {"tcp_user_timeout", "5000"},
    {"client_encoding", "UTF8"},
};

void require_no_password(const std::string& uri) {
  char* message = nullptr;
  PQconninfoOption* options = libpq().conninfoParse(uri.c_str(), &message);
  if (options == nullptr) {
    const std::string reason(message == nullptr ? "out of memory" : trimmed(message));
    libpq().freemem(message);
    throw Failure(reason);
  }
  bool has_password = false;
  for (const PQconninfoOption* each = options; each->keyword != nullptr; ++each) {
    const std::string_view keyword = each->keyword;
    has_password |= each->val != nullptr && (keyword == "password" || keyword == "sslpassword");
  }
  libpq().conninfoFree(options);
  if (has_password)
    throw Failure(
        "a password in the URI can be read by others; put it into ~/.pgpass, $PGPASSWORD or a service file "
        "instead");
}

Failure::Cause cause_of(std::string_view state) {
  using enum Failure::Cause;
  if (state.starts_with("08") || state.starts_with("57P")) return disconnected;
  if (state.starts_with("23")) return constraint;
  if (state == "42501" || state == "25006") return no_access;
  if (state == "55P03" || state.starts_with("40")) return busy;
  if (state == "57014") return interrupted;
  if (state == "53100") return no_space;
  return state == "53200" ? no_memory : other;
}

std::string one_line(std::string_view message) {
  std::string line;
  for (const char c : trimmed(message)) {
    if (c != '\t') line += c == '\n' ? ' ' : c;
  }
  return line;
}

std::string reason_of(std::string_view state, std::string_view message) {
  const std::string text = one_line(message);
  switch (cause_of(state)) {
    case Failure::Cause::busy:
      return "locked by another program";
    case Failure::Cause::constraint:
      return "a row breaks a rule of the schema: " + text;
    case Failure::Cause::no_space:
      return "the disk of the server is full";
    default:
      return text;
  }
}

}  // namespace

bool is_uri(std::string_view name) {
  return name.starts_with("postgresql://") || name.starts_with("postgres://");
}

std::string shown(const std::string& uri) {
  static const std::regex kOfUser("^([a-z]+://[^/?@:]*):[^@]*@"), kOfParameter("((ssl)?password=)[^&]*");
  return std::regex_replace(std::regex_replace(uri, kOfUser, "$1@"), kOfParameter, "$1…");
}

Connection::Connection(const std::string& uri, std::chrono::milliseconds patience) : patience_(patience) {
  require_no_password(uri);
  std::vector<const char*> names, values;
  for (const auto& [name, value] : kDefaults) names.push_back(name), values.push_back(value);
  names.insert(names.end(), {"dbname", nullptr});  // holds the URI, whose parts replace the values before
  values.insert(values.end(), {uri.c_str(), nullptr});
  handle_.reset(libpq().connectdbParams(names.data(), values.data(), 1));
  if (!handle_) throw Failure("out of memory", Failure::Cause::no_memory);
  libpq().setNoticeProcessor(
      handle_.get(), [](void*, const char*) {}, nullptr);
  begin_connection();
}

void Connection::begin_connection() const {
  prepared_.clear();
  if (libpq().status(handle_.get()) != kConnectionOk)
    throw Failure(one_line(libpq().errorMessage(handle_.get())), Failure::Cause::disconnected);
  const std::string patience = std::to_string(std::max<std::int64_t>(patience_.count(), 1));
  // A host that stops in a transaction would keep its locks. Compiling a query would take seconds and save
  // little. The statements are written for loops over indexes in the order of their joins, as SQLite runs
  // them; else the server would read all trials, and those of new tables for as long as it has not counted
  // them.
  const std::string settings =
      "SET search_path = gktune; SET lock_timeout = " + patience +
      "; SET idle_in_transaction_session_timeout = 60000; SET jit = off; SET join_collapse_limit = 1; SET "
      "enable_hashjoin = off; SET enable_mergejoin = off; SET enable_seqscan = off; SET "
      "max_parallel_workers_per_gather = 0; "
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
  const auto clock = checked(libpq().exec(handle_.get(), settings.c_str()));
  const std::string_view server_ms = libpq().getvalue(clock.get(), 0, 0);
  std::from_chars(server_ms.data(), server_ms.data() + server_ms.size(), ahead_ms_);
  ahead_ms_ -= now_unix_ms();
}

void Connection::require_connected() const {
  if (is_in_transaction_ || libpq().status(handle_.get()) == kConnectionOk) return;
  libpq().reset(handle_.get());
  begin_connection();
}

ResultPtr Connection::checked(PGresult* result) const {
  ResultPtr owned(result);
  const int status = owned ? libpq().resultStatus(owned.get()) : -1;
  if (status == kTuplesOk || status == kCommandOk || status == kEmptyQuery) return owned;
  const bool is_lost = libpq().status(handle_.get()) != kConnectionOk;
  const char* state = owned ? libpq().resultErrorField(owned.get(), kSqlState) : nullptr;
  const char* message = owned ? libpq().resultErrorField(owned.get(), kMessagePrimary) : nullptr;
  if (message == nullptr) message = libpq().errorMessage(handle_.get());
  const std::string_view code = state == nullptr ? "" : state;
  throw Failure(reason_of(code, message), is_lost ? Failure::Cause::disconnected : cause_of(code));
}

void Connection::count_changes(PGresult* result) const {
  changes_ = 0;
  const std::string_view count = libpq().cmdTuples(result);
  std::from_chars(count.data(), count.data() + count.size(), changes_);
}

void Connection::execute(const std::string& sql) {
  require_connected();
  const ResultPtr result = checked(libpq().exec(handle_.get(), translated(sql).c_str()));
  count_changes(result.get());
}

ResultPtr Connection::run(const std::string& sql, const std::vector<Parameter>& parameters) const {
  require_connected();
  std::vector<const char*> values;
  std::vector<int> lengths, formats;
  for (const Parameter& each : parameters) {
    values.push_back(each.text ? each.text->c_str() : nullptr);
    lengths.push_back(each.text ? static_cast<int>(each.text->size()) : 0);
    formats.push_back(each.is_bytes ? 1 : 0);
  }
  auto known = prepared_.find(sql);
  if (known == prepared_.end()) {
    const std::string name = "s" + std::to_string(prepared_.size());
    checked(libpq().prepare(handle_.get(), name.c_str(), sql.c_str(), 0, nullptr));
    known = prepared_.emplace(sql, name).first;
  }
  ResultPtr result =
      checked(libpq().execPrepared(handle_.get(), known->second.c_str(), static_cast<int>(values.size()),
                                   values.data(), lengths.data(), formats.data(), 0));
  count_changes(result.get());
  return result;
}

std::unique_ptr<sql::Cursor> Connection::prepare(std::string_view sql) const {
  const auto [known, is_new] = translated_.try_emplace(std::string(sql));
  if (is_new) known->second = translated(sql);
  return std::make_unique<Cursor>(*this, known->second);
}

std::int64_t Connection::now_ms() const { return now_unix_ms() + ahead_ms_; }

void Connection::begin(Begin kind) {
  require_connected();
  execute(kind == Begin::read ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN");
  is_in_transaction_ = true;
  if (kind != Begin::alone) return;
  try {
    execute("LOCK TABLE sessions, studies, trials, claims, playoffs, portfolios IN SHARE ROW EXCLUSIVE MODE");
    execute(
        "SET LOCAL join_collapse_limit = 8; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on; "
        "SET LOCAL enable_seqscan = on");
  } catch (const Failure&) {
    roll_back();
    throw;
  }
}

void Connection::commit() {
  execute("COMMIT");
  is_in_transaction_ = false;
}

void Connection::roll_back() noexcept {
  is_in_transaction_ = false;
  if (libpq().status(handle_.get()) == kConnectionOk) ResultPtr(libpq().exec(handle_.get(), "ROLLBACK"));
}

bool has_schema(const Connection& connection) {
  if (connection.integer(
          "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname "
          "= 'gktune' AND c.relname = 'schema_version'") == 0)
    return false;
  const auto version = connection.integer("SELECT version FROM gktune.schema_version");
  if (version == kSchemaVersion) return true;
  throw Failure("has schema " + std::to_string(version) + ", and this version of gktune knows " +
                std::to_string(kSchemaVersion));
}

void create_schema(Connection& connection) {
  if (has_schema(connection)) return;
  sql::Transaction transaction(connection, sql::Transaction::Kind::write);
  // Another host may create it at the same time.
  connection.execute("SELECT pg_advisory_xact_lock(" + std::to_string(kApplicationId) + ")");
  if (has_schema(connection)) return;
  connection.execute("CREATE SCHEMA IF NOT EXISTS gktune");
  connection.execute(schema_sql());
  connection.execute(
      "CREATE TABLE schema_version (version BIGINT NOT NULL); INSERT INTO schema_version VALUES (" +
      std::to_string(kSchemaVersion) + ")");
  transaction.commit();
}

}  // namespace gktune::postgres
