#pragma once

#include <filesystem>
#include <string>

namespace gktune {

// What the program takes from its surroundings. Read once, in main(); nothing else asks the system.
struct Environment {
  std::filesystem::path program;    // this very binary, for the worker processes
  std::filesystem::path database;   // where --db names none
  std::filesystem::path cache_dir;  // where --cache names none
  std::string cxx;                  // the system's C++ compiler, as a command
  std::string host_name;
  std::string command_line;  // as it was called, for the record
};

// $GKTUNE_DB, or ./gktune.db.
std::filesystem::path default_database(const char* gktune_db);
// $XDG_CACHE_HOME/gktune, or ~/.cache/gktune; without either a folder in the working directory.
std::filesystem::path default_cache_dir(const char* xdg_cache_home, const char* home);

}  // namespace gktune
