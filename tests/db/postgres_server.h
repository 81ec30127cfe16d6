#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "db/postgres/connection.h"
#include "tests/scratch_folder.h"

namespace gktune {

// A PostgreSQL server for the tests of this process.
class PostgresServer {
 public:
  static bool is_installed() { return succeeds("installed"); }
  static PostgresServer& shared() {
    static PostgresServer server;
    return server;
  }

  // The URI of an empty database.
  std::string new_database() {
    const std::string name = "t" + std::to_string(++databases_);
    postgres::Connection(uri_, std::chrono::seconds(10)).execute("CREATE DATABASE " + name);
    return uri_.substr(0, uri_.rfind('/') + 1) + name;
  }
  void stop(const char* mode = "fast") { succeeds("stop " + folder_.path().string() + ' ' + mode); }
  void start_again() { succeeds("again " + folder_.path().string()); }

  ~PostgresServer() {
    if (::getpid() == owner_) stop("immediate");  // forked children have copies of this object
  }

 private:
  PostgresServer() {
    succeeds("start " + folder_.path().string() + " fsync=off");
    uri_ = contents_of(folder_ / "uri");
    while (uri_.ends_with('\n')) uri_.pop_back();
  }
  static bool succeeds(const std::string& words) {
    return std::system(
               (GKTUNE_SOURCE_DIR "/tests/db/postgres_server.sh " + words + " >/dev/null 2>&1").c_str()) == 0;
  }

  pid_t owner_ = ::getpid();
  ScratchFolder folder_;
  std::string uri_;
  int databases_ = 0;
};

}  // namespace gktune
