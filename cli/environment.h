#pragma once

#include <filesystem>
#include <string>

namespace gktune {

// Settings from the system. Read once, in main().
struct Environment {
  std::filesystem::path program;    // this binary, for the worker processes
  std::filesystem::path database;   // default of --db
  std::filesystem::path cache_dir;  // default of --cache; empty: none
  std::string cxx;                  // C++ compiler command
  std::string cuda_home;            // the CUDA toolkit's folder
  std::string gpu_settings;         // the variables that decide which GPUs and which CUDA a program sees
  std::string host_name;
  std::string command_line;  // for the session's record
};

// $GKTUNE_DB, or ./gktune.db.
std::filesystem::path default_database(const char* gktune_db);
// $XDG_CACHE_HOME/gktune, or ~/.cache/gktune; empty without an absolute path of either.
std::filesystem::path default_cache_dir(const char* xdg_cache_home, const char* home);

}  // namespace gktune
