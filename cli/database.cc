#include "cli/database.h"

#include <system_error>

#include "tuner/core/text.h"

namespace gktune {

std::filesystem::path database_path(const std::string& flag, const Context& context) {
  return flag.empty() ? context.environment.database : std::filesystem::path(flag);
}

std::string database_flag(const std::string& flag) { return flag.empty() ? "" : " --db " + shell_word(flag); }

bool has_database(const std::string& flag, Context& context) {
  const auto path = database_path(flag, context);
  std::error_code error;
  if (std::filesystem::exists(path, error)) return true;
  if (error) {
    fail(context, ExitCode::failed, path.string() + ": cannot be read: " + error.message());
    return false;
  }
  fail(context, ExitCode::failed, "no database " + path.string());
  hint(context, "gktune run SPACE creates one; --db or $GKTUNE_DB names another");
  return false;
}

std::unique_ptr<Database> open_database(const std::string& flag, Context& context) {
  if (!has_database(flag, context)) return nullptr;
  auto store = Database::open(database_path(flag, context), Database::Access::read);
  if (!store) {
    fail(context, ExitCode::failed, store.error().message);
    return nullptr;
  }
  return *std::move(store);
}

}  // namespace gktune
