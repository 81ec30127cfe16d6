#include "db/postgres/libpq.h"

#include "db/sql/failure.h"
#include "tuner/core/dynamic_library.h"

namespace gktune::postgres {
namespace {

Result<Libpq> load() {
  const auto library = DynamicLibrary::open("PostgreSQL's library (Debian and Ubuntu: apt install libpq5)",
                                            {"libpq.so.5", "libpq.so"}, {});
  if (!library) return library.error();
  Libpq functions{FunctionLoader(*library)};
  if (auto done = functions.find.done(); !done) return done.error();
  return functions;
}

}  // namespace

const Libpq& libpq() {
  static const Result<Libpq> kLoaded = load();
  if (!kLoaded) throw sql::Failure(kLoaded.error().message);
  return *kLoaded;
}

}  // namespace gktune::postgres
