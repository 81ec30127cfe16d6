#include "cli/flags.h"

#include "cli/quantity.h"

namespace gktune {

void add_database_flag(CLI::App& app, std::string& path) {
  app.add_option("--db", path, "The database; $GKTUNE_DB where this is not given, else ./gktune.db")
      ->type_name("FILE");
}

void add_device_flag(CLI::App& app, DeviceFlags& flags) {
  add_parsed(app, "--device", flags.choice, parse_device, "Where to run; auto takes a GPU if there is one",
             "auto|host|cuda|cuda:all|cuda:[N]")
      ->default_str("auto");
}

void add_worker_flags(CLI::App& app, DeviceFlags& flags) {
  add_parsed(app, "--jobs", flags.jobs, parse_count, "How many compilers at a time; one a core by default",
             "N");
  app.add_option("--cache", flags.cache_dir,
                 "Where compiled code is kept; $XDG_CACHE_HOME/gktune or ~/.cache/gktune by default")
      ->type_name("DIR");
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
