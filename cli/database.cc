#include "cli/database.h"

#include <stdlib.h>

#include <cerrno>
#include <system_error>

namespace gktune {

std::filesystem::path database_path(const std::string& flag, const Context& context) {
  return flag.empty() ? context.environment.database : std::filesystem::path(flag);
}

std::string database_flag(const std::string& flag) { return flag.empty() ? "" : " --db " + flag; }

std::unique_ptr<TrialStore> open_database(const std::string& flag, Context& context) {
  auto path = database_path(flag, context);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    fail(context, ExitCode::failed, "no database " + path.string());
    hint(context, "gktune run SPACE creates one; --db or $GKTUNE_DB names another");
    return nullptr;
  }
  auto store = open_sqlite_store(path, StoreAccess::read);
  if (!store) {
    fail(context, ExitCode::failed, store.error().message);
    return nullptr;
  }
  return *std::move(store);
}

Result<ScratchDatabase> ScratchDatabase::make() {
  std::error_code error;
  std::string pattern = (std::filesystem::temp_directory_path(error) / "gktune-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr) {
    return Error{"there is no folder for a temporary database: " +
                 (error ? error : std::error_code(errno, std::generic_category())).message()};
  }
  return ScratchDatabase(pattern);
}

ScratchDatabase::~ScratchDatabase() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace gktune
