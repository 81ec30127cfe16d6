#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "db/identity.h"
#include "db/sql/failure.h"
#include "db/sql/statement.h"
#include "tuner/core/fields.h"
#include "tuner/core/trial.h"

namespace gktune {

// Columns of the database follow from the lists of fields: fields(visitor, object) names each column and gives
// its member. Reals that are not finite, and members that are negative where they are unknown, are NULL.

// "median_us REAL, …": the declarations of the columns.
class ColumnDeclarations {
 public:
  template <class T>
  void operator()(const std::string& name, const T&) {
    add(name, type_of<T>(name) + " NOT NULL");
  }
  template <class T>
  void operator()(const std::string& name, MaybeUnknown<T>) {
    add(name, type_of<std::remove_const_t<T>>(name));
  }
  const std::string& sql() const { return sql_; }

 private:
  template <class T>
  static std::string type_of(const std::string& name) {
    if constexpr (std::is_integral_v<T>) return "INTEGER";
    if constexpr (std::is_floating_point_v<T>) return "REAL";
    if constexpr (std::is_same_v<T, Samples>) return "BLOB";
    if constexpr (std::is_same_v<T, NamedValues>) return "TEXT CHECK (" + name + " GLOB '{*}')";
    return "TEXT";
  }
  void add(const std::string& name, const std::string& type) {
    sql_ += (sql_.empty() ? "  " : ",\n  ") + name + " " + type;
  }

  std::string sql_;
};

// "config, status, …", each with a prefix: "t.".
class ColumnNames {
 public:
  explicit ColumnNames(std::string prefix = "") : prefix_(std::move(prefix)) {}
  template <class T>
  void operator()(const char* name, T&&) {
    sql_ += (sql_.empty() ? "" : ", ") + prefix_ + name;
    parameters_ += parameters_.empty() ? "?" : ", ?";
  }
  const std::string& sql() const { return sql_; }
  const std::string& parameters() const { return parameters_; }  // "?, ?, …"

 private:
  std::string prefix_, sql_, parameters_;
};

// Binds the members to the next parameters of a statement.
class ColumnWriter {
 public:
  explicit ColumnWriter(sql::Statement& statement) : statement_(statement) {}
  template <class T>
  void operator()(const char* name, const T& member) {
    if constexpr (std::is_same_v<T, NamedValues>) {
      // Values that identify something have to be finite; a metric may be unknown.
      const std::string_view what = name;
      statement_.bind_next(what == "metrics" ? member.json()
                                             : identity_json(member, what == "config" ? "configuration" : name));
    } else if constexpr (std::is_enum_v<T>) {
      statement_.bind_next(enum_name(member));
    } else {
      statement_.bind_next(member);
    }
  }
  template <class T>
  void operator()(const char* name, MaybeUnknown<T> field) {
    if (field.is_known)
      (*this)(name, field.value);
    else
      statement_.bind_next(std::nullopt);
  }

 private:
  sql::Statement& statement_;
};

// Reads the members from the next columns of a row.
class ColumnReader {
 public:
  explicit ColumnReader(sql::Row& row) : row_(row) {}
  template <class T>
  void operator()(const char* name, T& member) {
    if constexpr (std::is_same_v<T, NamedValues>) {
      member = values_from_json(row_.view());
    } else if constexpr (std::is_enum_v<T>) {
      const std::string text = row_.text();
      const auto known = enum_from_name<T>(text);
      if (!known) throw sql::Failure(std::string("its ") + name + " \"" + text + "\" is unknown");
      member = *known;
    } else if constexpr (std::is_same_v<T, bool>) {
      member = row_.boolean();
    } else if constexpr (std::is_integral_v<T>) {
      member = static_cast<T>(row_.integer());
    } else if constexpr (std::is_floating_point_v<T>) {
      member = row_.real();
    } else if constexpr (std::is_same_v<T, Samples>) {
      member = row_.reals();
    } else {
      member = row_.text();
    }
  }
  template <class T>
  void operator()(const char* name, MaybeUnknown<T> field) {
    if (row_.skip_null()) {
      // A value that should be known and is not is no number, so that it is not taken for a small one.
      if constexpr (std::is_floating_point_v<T>)
        field.value = field.is_known ? std::numeric_limits<T>::quiet_NaN() : field.unknown;
      else
        field.value = field.unknown;
    } else {
      (*this)(name, field.value);
    }
  }

 private:
  sql::Row& row_;
};

// The SQL of the names of T's columns.
template <class T>
std::string columns_of(const std::string& prefix = "") {
  ColumnNames names(prefix);
  const T object;
  fields(names, object);
  return names.sql();
}

}  // namespace gktune
