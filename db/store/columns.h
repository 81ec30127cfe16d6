#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/answers/json_values.h"
#include "db/sqlite/statement.h"

namespace gktune {

// A column of a table and the field of a record that holds it.
struct Column {
  enum class Kind {
    integer,
    count,    // an integer of at least 0
    ordinal,  // an integer of at least 1
    flag,     // 0 or 1
    real,
    amount,  // a real number of at least 0
    text,
    name,  // a text that is not empty
    status,
    regime,
    values,
    metrics,   // values, of which those that are not finite are null
    figures,   // numbers and booleans
    matching,  // how axes match
    texts,     // values that are texts
    body,      // of a portfolio
    json,
    samples
  };
  const char* name;
  Kind kind;
  bool may_be_null = false;
};

// The columns that refer to no other rows, and with them the rules for a row: whatever breaks one, no version
// of gktune has written. Checks, repairs, exports, merges and imports know no other rules.
extern const std::span<const Column> kSessionFields, kStudyFields, kTrialFields, kFinalistFields,
    kSpaceFields, kPortfolioFields;
inline constexpr Column kTrialNumber{"number", Column::Kind::ordinal};

std::string names_of(std::span<const Column> columns, std::string_view prefix = "");
// The field that stands for an unknown value: null, an empty text or 0.
SortedJson unknown_field(const Column& column);

// The next columns of the row. Throws sqlite::Failure for values that break a rule.
std::vector<sqlite::SqlValue> read_values(sqlite::Row& row, std::span<const Column> columns);
// Adds them to the record.
void read_columns(sqlite::Row& row, std::span<const Column> columns, SortedJson& record);
// The values to bind. Throws sqlite::Failure, which names the field, for one that is missing, of another kind
// or breaks a rule.
void add_values(const SortedJson& record, std::span<const Column> columns,
                std::vector<sqlite::SqlValue>& values);

// Throws sqlite::Failure if the record has a field that is neither among these nor one of the columns.
void require_known_fields(const SortedJson& record, std::initializer_list<std::string_view> own,
                          std::span<const Column> columns = {});
// A field of a record.
std::int64_t integer_field(const SortedJson& record, const char* name);
std::int64_t ordinal_field(const SortedJson& record, const char* name);
std::string text_field_of(const SortedJson& record, const char* name);
const SortedJson& member(const SortedJson& record, const char* name);

}  // namespace gktune
