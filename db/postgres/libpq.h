#pragma once

#include <cstddef>

#include "tuner/core/dynamic_library.h"

namespace gktune::postgres {

// PostgreSQL's own names and values.
struct PGconn;
struct PGresult;
struct PQconninfoOption {
  char *keyword, *envvar, *compiled, *val, *label, *dispchar;
  int dispsize;
};
inline constexpr int kConnectionOk = 0;
inline constexpr int kEmptyQuery = 0, kCommandOk = 1, kTuplesOk = 2;
inline constexpr unsigned kBool = 16, kBytes = 17, kInteger = 20, kSmallInteger = 21, kNormalInteger = 23,
                          kText = 25, kFloat = 700, kReal = 701, kNumeric = 1700;
inline constexpr int kMessagePrimary = 'M', kSqlState = 'C';

// The functions of libpq, opened at run time so that programs start on systems without it.
struct Libpq {
  FunctionLoader find;
  PQconninfoOption* (*conninfoParse)(const char*, char**) = find("PQconninfoParse");
  void (*conninfoFree)(PQconninfoOption*) = find("PQconninfoFree");
  void (*freemem)(void*) = find("PQfreemem");
  PGconn* (*connectdbParams)(const char* const*, const char* const*, int) = find("PQconnectdbParams");
  void (*reset)(PGconn*) = find("PQreset");
  void (*finish)(PGconn*) = find("PQfinish");
  int (*status)(const PGconn*) = find("PQstatus");
  char* (*errorMessage)(const PGconn*) = find("PQerrorMessage");
  void (*(*setNoticeProcessor)(PGconn*, void (*)(void*, const char*),
                               void*))(void*, const char*) = find("PQsetNoticeProcessor");
  PGresult* (*exec)(PGconn*, const char*) = find("PQexec");
  PGresult* (*prepare)(PGconn*, const char*, const char*, int, const unsigned*) = find("PQprepare");
  PGresult* (*execPrepared)(PGconn*, const char*, int, const char* const*, const int*, const int*,
                            int) = find("PQexecPrepared");
  int (*resultStatus)(const PGresult*) = find("PQresultStatus");
  char* (*resultErrorField)(const PGresult*, int) = find("PQresultErrorField");
  void (*clear)(PGresult*) = find("PQclear");
  int (*ntuples)(const PGresult*) = find("PQntuples");
  int (*nfields)(const PGresult*) = find("PQnfields");
  char* (*fname)(const PGresult*, int) = find("PQfname");
  unsigned (*ftype)(const PGresult*, int) = find("PQftype");
  int (*getisnull)(const PGresult*, int, int) = find("PQgetisnull");
  char* (*getvalue)(const PGresult*, int, int) = find("PQgetvalue");
  int (*getlength)(const PGresult*, int, int) = find("PQgetlength");
  char* (*cmdTuples)(PGresult*) = find("PQcmdTuples");
};

// Throws sql::Failure if there is no libpq; the message lists where it was looked for.
const Libpq& libpq();

}  // namespace gktune::postgres
