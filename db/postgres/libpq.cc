#include "db/postgres/libpq.h"

#include "db/sql/failure.h"
#include "tuner/core/dynamic_library.h"

namespace gktune::postgres {
namespace {

Result<Libpq> load() {
  const auto library = DynamicLibrary::open("PostgreSQL's library (Debian and Ubuntu: apt install libpq5)",
                                            {"libpq.so.5", "libpq.so"}, {});
  if (!library) return library.error();
  FunctionLoader loader(*library);
  Libpq functions{};
  loader.load(functions.conninfoParse, "PQconninfoParse");
  loader.load(functions.conninfoFree, "PQconninfoFree");
  loader.load(functions.freemem, "PQfreemem");
  loader.load(functions.connectdbParams, "PQconnectdbParams");
  loader.load(functions.reset, "PQreset");
  loader.load(functions.finish, "PQfinish");
  loader.load(functions.status, "PQstatus");
  loader.load(functions.errorMessage, "PQerrorMessage");
  loader.load(functions.setNoticeProcessor, "PQsetNoticeProcessor");
  loader.load(functions.exec, "PQexec");
  loader.load(functions.prepare, "PQprepare");
  loader.load(functions.execPrepared, "PQexecPrepared");
  loader.load(functions.resultStatus, "PQresultStatus");
  loader.load(functions.resultErrorField, "PQresultErrorField");
  loader.load(functions.clear, "PQclear");
  loader.load(functions.ntuples, "PQntuples");
  loader.load(functions.nfields, "PQnfields");
  loader.load(functions.fname, "PQfname");
  loader.load(functions.ftype, "PQftype");
  loader.load(functions.getisnull, "PQgetisnull");
  loader.load(functions.getvalue, "PQgetvalue");
  loader.load(functions.getlength, "PQgetlength");
  loader.load(functions.cmdTuples, "PQcmdTuples");
  if (auto done = loader.done(); !done) return done.error();
  return functions;
}

}  // namespace

const Libpq& libpq() {
  static const Result<Libpq> kLoaded = load();
  if (!kLoaded) throw sql::Failure(kLoaded.error().message);
  return *kLoaded;
}

}  // namespace gktune::postgres
