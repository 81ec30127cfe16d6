#include "cli/environment.h"

namespace gktune {
namespace {

bool is_set(const char* variable) { return variable != nullptr && *variable != '\0'; }

}  // namespace

std::filesystem::path default_database(const char* gktune_db) {
  return is_set(gktune_db) ? gktune_db : "gktune.db";
}

std::filesystem::path default_cache_dir(const char* xdg_cache_home, const char* home) {
  // The specification says to ignore a relative $XDG_CACHE_HOME.
  if (is_set(xdg_cache_home) && *xdg_cache_home == '/')
    return std::filesystem::path(xdg_cache_home) / "gktune";
  if (is_set(home)) return std::filesystem::path(home) / ".cache" / "gktune";
  return ".gktune-cache";
}

}  // namespace gktune
