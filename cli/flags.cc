#include "cli/flags.h"

namespace gktune {

void add_database_flag(CLI::App& app, std::string& path) {
  app.add_option("--db", path, "The database; $GKTUNE_DB where this is not given, else ./gktune.db")
      ->type_name("FILE");
}

void add_device_flag(CLI::App& app, std::string& name) {
  app.add_option("--device", name, "Where to run; auto takes a GPU if there is one")
      ->type_name("auto|host|cuda[:N]|cuda:all")
      ->default_str("auto");
}

void add_json_flag(CLI::App& app, bool& is_wanted) {
  app.add_flag("--json", is_wanted, "Report as JSON, for scripts");
}

void add_problem_flag(CLI::App& app, std::vector<std::string>& selections) {
  app.add_option("--problem", selections, "Only these problems: n=1Mi,T=float; may be given again")
      ->type_name("AXIS=VALUE,…")
      ->allow_extra_args(false);
}

}  // namespace gktune
