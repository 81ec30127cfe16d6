#pragma once

#include <span>
#include <string>

#include "db/json_values.h"
#include "db/sqlite/statement.h"

namespace gktune {

// A column of a table and the field of a record that holds it.
struct Column {
  enum class Kind { integer, real, text, values, json, samples };
  const char* name;
  Kind kind;
  bool may_be_null = false;
};

// The columns of sessions, trials and finalists that refer to no other rows.
extern const std::span<const Column> kSessionFields, kTrialFields, kFinalistFields;

std::string names_of(std::span<const Column> columns);

// Adds the next columns of the row to the record.
void read_columns(sqlite::Row& row, std::span<const Column> columns, SortedJson& record);
// The values to bind. Throws sqlite::Failure, which names the field, for one that is missing or of another kind.
void add_values(const SortedJson& record, std::span<const Column> columns, std::vector<sqlite::SqlValue>& values);

// A field of a record.
std::int64_t integer_field(const SortedJson& record, const char* name);
std::string text_field_of(const SortedJson& record, const char* name);
const SortedJson& member(const SortedJson& record, const char* name);

}  // namespace gktune
