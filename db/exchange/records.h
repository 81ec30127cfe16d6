#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/answers/json_values.h"
#include "db/exchange/exchange.h"
#include "db/sqlite/database.h"

namespace gktune {

// The lines of an exchange file, each a record of one type.
using OnRecord = std::function<void(const SortedJson&)>;

inline constexpr std::int64_t kExchangeVersion = 2;

// Reads these studies, or all of them, in an order that depends on their contents alone.
Exported read_records(const sqlite::Database& database, const std::vector<std::int64_t>* studies,
                      const OnRecord& on_record);

// Adds records to a database. Use it within a transaction; throws sqlite::Failure for a bad record.
class RecordWriter {
 public:
  explicit RecordWriter(sqlite::Database& database);
  void add(const SortedJson& record);
  // Resolves conflicts between rows. Call it after the last record.
  Merged finish();

 private:
  struct Winner {
    std::string study, config;
    bool from_playoff = false;
  };

  void add_header(const SortedJson& record);
  void add_end(const SortedJson& record);
  void require_end() const;
  void add_session(const SortedJson& record);
  void add_study(const SortedJson& record);
  void add_trial(const SortedJson& record);
  void add_playoff(const SortedJson& record);
  void add_portfolio(const SortedJson& record);
  void add_space(const SortedJson& record);
  std::int64_t device_id(const SortedJson& device);
  std::int64_t session_id(const SortedJson& record) const;
  std::int64_t study_id(const SortedJson& record) const;
  void choose_current();
  std::map<std::int64_t, Winner> winners() const;

  sqlite::Database& database_;
  bool has_header_ = false, has_end_ = true;
  std::int64_t version_ = 0;
  std::map<std::string, std::int64_t> read_;       // lines since the header, by their type
  std::map<std::string, std::int64_t> sessions_;   // by uuid
  std::map<std::int64_t, std::int64_t> studies_;   // by their number in the file
  std::set<std::int64_t> touched_;                 // studies with new rows
  std::map<std::int64_t, Winner> before_;
  Merged merged_;
};

}  // namespace gktune
