#pragma once

struct sqlite3;

namespace gktune::sqlite {

// Adds the SQL function gktune_checksum(…) to a connection: a hash of the values and kinds of its arguments.
void add_checksum(sqlite3* handle);

}  // namespace gktune::sqlite
