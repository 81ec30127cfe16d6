#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "db/columns.h"
#include "db/database.h"
#include "db/outage.h"
#include "db/postgres/connection.h"
#include "db/rows.h"
#include "db/sql/connection.h"
#include "db/sql/failure.h"
#include "db/sql/statement.h"
#include "db/sqlite/connection.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"

// The parts that the sources of Database share.
namespace gktune {

using sql::Connection;
using sql::Failure;
using sql::Row;
using sql::Statement;
using sql::Transaction;

template <class Function>
auto Database::guarded_once(Function function) const {
  const std::lock_guard lock(mutex_);
  return sql::guarded(path_.string(), std::move(function));
}

template <class Function>
auto Database::guarded(Function function) const {
  return guarded_once([&] {
    while (true) {
      try {
        if (outage_ && outage_->is_lost()) outage_->end();
        return function();
      } catch (const Failure& failure) {
        if (!outage_ || !failure.is(Failure::Cause::disconnected)) throw;
        outage_->note(failure);
        outage_->wait(failure);
      }
    }
  });
}

// Sees one state of the file while other programs write.
template <class Function>
auto Database::reading(Function function) const {
  return guarded([&] {
    Transaction snapshot(*connection_, Transaction::Kind::read);
    return function();
  });
}

std::unique_ptr<postgres::Connection> open_server(const std::filesystem::path& uri, Database::Access access,
                                                  std::chrono::milliseconds patience);
// Opens a database to copy from it. Checks that it is a sound one of gktune.
std::unique_ptr<Connection> open_source(const std::filesystem::path& source);
std::string name_of(const std::filesystem::path& path);  // in messages, without a password

// Names the row in the message of a Failure.
template <class Function>
auto naming(const std::string& row, Function function) {
  try {
    return function();
  } catch (const Failure& failure) {
    throw Failure(row + ": " + failure.what());
  }
}

// The columns of study_view, as a prefix names them, that read_summary reads.
std::string study_columns(const std::string& prefix, Counts counts = Counts::read);
StudySummary read_summary(Row& row);
// The studies that meet the condition, with counts and what is known of their winners.
std::vector<StudySummary> read_counted(const Connection& connection, const std::string& condition);
// Calls `read` with conditions that together accept the ids of the studies in this column.
template <class Read>
void for_ids(const std::string& column, std::span<const StudySummary> studies, Read read) {
  constexpr std::size_t kAtOnce = 10'000;
  const auto id_text = [](const StudySummary& each) { return std::to_string(each.id); };
  for (; !studies.empty(); studies = studies.subspan(std::min(kAtOnce, studies.size())))
    read(column + " IN (" + joined(studies.first(std::min(kAtOnce, studies.size())), ", ", id_text) + ")");
}

// Without counts. Throws if there is no such study.
StudySummary summary_of(const Connection& connection, std::int64_t study);

// "t.id, t.config, …": the columns of trials that read_trial reads.
const std::string& trial_columns();
Trial read_trial(Row& row, const Study& study);
// The trials of a statement that selects trial_columns().
std::vector<Trial> read_trials(Statement& select, const Study& study);

// Throws if the file is damaged. For callers that find nothing: an overwritten page may look like an empty one.
void require_sound(Connection& connection);

// Replaces the figures of the trial by those of a finalist.
void read_finalist(Row& row, Trial& trial);
std::optional<Playoff> read_playoff(const Connection& connection, std::int64_t study);

std::int64_t add_session(const Connection& connection, const std::string& uuid, const Session& session);
std::int64_t add_study(const Connection& connection, const Study& study);
void insert_trial(const Connection& connection, std::int64_t study, std::int64_t session, std::int64_t number,
                  const Trial& trial, const std::string& with = "");

// Binds the fields of an object to the next parameters.
template <class T>
Statement& bind_fields(Statement& statement, const T& object) {
  ColumnWriter writer(statement);
  fields(writer, object);
  return statement;
}

// Reads an object from the next columns.
template <class T>
T read_fields(Row& row) {
  T object;
  ColumnReader reader(row);
  fields(reader, object);
  return object;
}

// The condition that the row `d` of devices has the identity that is bound to its four parameters.
inline const std::string kIsDevice = "(" + columns_of<DeviceIdentity>("d.") + ") = (?, ?, ?, ?)";

// A table, the names of its columns that are no fields ("study_id, number, "), and SQL around the statement.
struct Insertion {
  std::string table, keys = "", before = "", behind = "";
};

// Inserts a row: the values of its keys, and the fields of an object.
template <class T, class... Keys>
void insert_row(const Connection& connection, const Insertion& into, const T& object, const Keys&... values) {
  ColumnNames names;
  fields(names, object);
  std::string parameters;
  for (std::size_t i = 0; i < sizeof...(values); ++i) parameters += "?, ";
  Statement insert(connection, into.before + "INSERT INTO " + into.table + " (" + into.keys + names.sql() +
                                   ") VALUES (" + parameters + names.parameters() + ")" + into.behind);
  insert.bind(values...);
  bind_fields(insert, object).run();
}

}  // namespace gktune
