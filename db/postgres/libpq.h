#pragma once

#include <cstddef>

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
  PQconninfoOption* (*conninfoParse)(const char*, char**);
  void (*conninfoFree)(PQconninfoOption*);
  void (*freemem)(void*);
  PGconn* (*connectdbParams)(const char* const*, const char* const*, int);
  void (*reset)(PGconn*);
  void (*finish)(PGconn*);
  int (*status)(const PGconn*);
  char* (*errorMessage)(const PGconn*);
  void (*(*setNoticeProcessor)(PGconn*, void (*)(void*, const char*), void*))(void*, const char*);
  PGresult* (*exec)(PGconn*, const char*);
  PGresult* (*prepare)(PGconn*, const char*, const char*, int, const unsigned*);
  PGresult* (*execPrepared)(PGconn*, const char*, int, const char* const*, const int*, const int*, int);
  int (*resultStatus)(const PGresult*);
  char* (*resultErrorField)(const PGresult*, int);
  void (*clear)(PGresult*);
  int (*ntuples)(const PGresult*);
  int (*nfields)(const PGresult*);
  char* (*fname)(const PGresult*, int);
  unsigned (*ftype)(const PGresult*, int);
  int (*getisnull)(const PGresult*, int, int);
  char* (*getvalue)(const PGresult*, int, int);
  int (*getlength)(const PGresult*, int, int);
  char* (*cmdTuples)(PGresult*);
};

// Throws sql::Failure if there is no libpq; the message lists where it was looked for.
const Libpq& libpq();

}  // namespace gktune::postgres
