#pragma once

#include <string>
#include <string_view>

namespace gktune::postgres {

// A statement of gktune, written for SQLite, for PostgreSQL: parameters ? and ?N become $1, $2, …, and where
// the two differ, words are replaced. Texts in quotes and comments stay.
std::string translated(std::string_view sql);

}  // namespace gktune::postgres
