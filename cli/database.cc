#include "cli/database.h"

#include <fmt/format.h>

#include <system_error>

#include "cli/output/quantity.h"
#include "db/open.h"
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

std::unique_ptr<TrialStore> open_database(const std::string& flag, Context& context) {
  if (!has_database(flag, context)) return nullptr;
  auto store = open_sqlite_store(
      database_path(flag, context), StoreAccess::read, kLockPatience, [&](const std::string& damage) {
        context.log.warning(damage + "; `gktune db check" + database_flag(flag) + "` names all damage");
      });
  if (!store) {
    fail(context, ExitCode::failed, store.error().message);
    return nullptr;
  }
  return *std::move(store);
}

void warn_of_damage(std::int64_t rows, const std::string& flag, Context& context) {
  if (rows == 0) return;
  context.log.warning(fmt::format("{} damaged {} left out; `gktune db check{}` names all damage",
                                  format_count(rows), rows == 1 ? "row is" : "rows are",
                                  database_flag(flag)));
}

}  // namespace gktune
