// Makes the database that the example application is asked to read.
#include <iostream>

#include "db/database.h"
#include "tests/db/example_study.h"

int main(int count, char** arguments) {
  using namespace gktune;
  if (count != 2) return 2;
  auto store = Database::open(arguments[1], Database::Access::write);
  if (!store.ok()) {
    std::cerr << store.error().message << '\n';
    return 1;
  }
  auto session = (*store)->begin_session({});
  auto study = (*store)->study_id(reduce_study());
  bool is_written =
      session.ok() && study.ok() &&
      (*store)
          ->add_trial(*study, *session, ok_trial({{"threadsPerBlock", 128}, {"way", "two_pass"}}, 20))
          .ok() &&
      (*store)
          ->add_trial(*study, *session, ok_trial({{"threadsPerBlock", 256}, {"way", "one_pass"}}, 12.5))
          .ok();
  return is_written ? 0 : 1;
}
