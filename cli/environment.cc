#include "cli/environment.h"

namespace gktune {
namespace {

bool is_set(const char* variable) { return variable != nullptr && *variable != '\0'; }

bool is_absolute(const char* path) { return is_set(path) && *path == '/'; }

}  // namespace

std::filesystem::path default_database(const char* gktune_db) {
  return is_set(gktune_db) ? gktune_db : "gktune.db";
}

std::filesystem::path default_cache_dir(const char* xdg_cache_home, const char* home) {
  // The specification says to ignore a relative $XDG_CACHE_HOME.
  // Without a folder in the working directory: code is loaded from the cache, and
  // others may have put it there.
  if (is_absolute(xdg_cache_home)) return std::filesystem::path(xdg_cache_home) / "gktune";
  if (is_absolute(home)) return std::filesystem::path(home) / ".cache" / "gktune";
  return {};
}

}  // namespace gktune
