#pragma once

#include <cstdint>
#include <string>

namespace gktune {

namespace sqlite {
class Database;
}

// A change to the numbers of trials that a study has.
struct CountChange {
  std::string status;
  bool is_current = true;
  int trials = 1;  // or -1
  double compile_s = 0, run_s = 0;
};

void change_counts(const sqlite::Database& database, std::int64_t study, const CountChange& change);
// Counts the study's trials again.
void recount(const sqlite::Database& database, std::int64_t study);

}  // namespace gktune
