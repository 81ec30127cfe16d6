#pragma once

#include <string>

#include "db/sql/connection.h"

namespace gktune {

// Copies what was measured from one database to tables of another one, of any engine, with the ids of the
// rows. The names of these tables begin with the prefix. A kernel: its rows alone.
void copy_measurements(sql::Connection& from, sql::Connection& to, const std::string& prefix,
                       const std::string& kernel);

// Empty tables for copy_measurements() in a database on a server. They go with the connection, or when
// dropped.
void create_staging(sql::Connection& connection, const std::string& prefix);
void drop_staging(sql::Connection& connection, const std::string& prefix);

}  // namespace gktune
