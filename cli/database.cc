#include "cli/database.h"

namespace gktune {

std::filesystem::path database_path(const std::string& flag, const Context& context) {
  return flag.empty() ? context.environment.database : std::filesystem::path(flag);
}

std::string database_flag(const std::string& flag) { return flag.empty() ? "" : " --db " + flag; }

std::optional<Store> open_database(const std::string& flag, Context& context) {
  auto path = database_path(flag, context);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    fail(context, ExitCode::failed, "no database " + path.string());
    hint(context, "gktune run SPACE creates one; --db or $GKTUNE_DB names another");
    return std::nullopt;
  }
  auto store = Store::open(path, Store::Mode::read);
  if (!store) {
    fail(context, ExitCode::failed, store.error().message);
    return std::nullopt;
  }
  return *std::move(store);
}

}  // namespace gktune
