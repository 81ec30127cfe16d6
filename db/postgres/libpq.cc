#include "db/postgres/libpq.h"

#include "db/sql/failure.h"
#include "tuner/core/dynamic_library.h"

namespace gktune::postgres {
namespace {

Result<Libpq> load() {
  const auto library = GKTUNE_TRY(DynamicLibrary::open(
      "PostgreSQL's library (Debian and Ubuntu: apt install libpq5)", {"libpq.so.5", "libpq.so"}, {}));
  Libpq functions{FunctionLoader(library)};
  GKTUNE_TRY(functions.find.done());
  return functions;
}

}  // namespace

const Libpq& libpq() {
  static const Result<Libpq> kLoaded = load();
  if (!kLoaded) throw sql::Failure(kLoaded.error().message);
  return *kLoaded;
}

}  // namespace gktune::postgres
