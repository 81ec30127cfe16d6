#pragma once

#include <cstdint>
#include <set>

namespace gktune {

namespace sqlite {
class Database;
}

// Makes studies consistent after rows of theirs were added or removed: each configuration has one current
// row, playoffs have their winners, stored winners, general configurations, counts and times are those of the
// rows. Removes studies without trials, and then devices without studies. Call it in a transaction.
void settle(sqlite::Database& database, const std::set<std::int64_t>& studies);

}  // namespace gktune
