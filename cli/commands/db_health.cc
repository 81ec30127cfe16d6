// gktune db check, gktune db repair: find damage, and rescue what is readable.
#include <fmt/format.h>

#include <ostream>

#include "cli/commands/db_commands.h"
#include "cli/database.h"
#include "cli/flags.h"
#include "cli/output/json.h"
#include "cli/output/quantity.h"
#include "db/database.h"

namespace gktune {
namespace {

struct HealthOptions {
  std::string database;
  bool json = false;
};

void declare_check(Flags& flags, HealthOptions& options) {
  flags.database(options.database);
  flags.json(options.json);
}

ExitCode check(const HealthOptions& options, Context& context) {
  if (!has_database(options.database, context)) return ExitCode::failed;
  const auto findings = check_database(database_path(options.database, context));
  if (!findings) return fail(context, ExitCode::failed, findings.error().message);
  const bool is_good = findings->empty();
  if (options.json) {
    print(context.out, {{"findings", *findings}});
    return is_good ? ExitCode::done : ExitCode::failed;
  }
  for (const std::string& finding : *findings) context.out << finding << '\n';
  if (is_good) {
    context.out << "nothing is wrong\n";
    return ExitCode::done;
  }
  hint(context, "gktune db repair" + database_flag(options.database) + " copies the readable rows to a new file");
  return ExitCode::failed;
}

struct RescueOptions {
  std::string database, output;
  TableFormat format;
};

void declare_repair(Flags& flags, RescueOptions& options) {
  flags.database(options.database);
  flags.text("--output,-o", options.output, "The new file; default: that of --db with .repaired")
      .kind("FILE");
  flags.table_format(options.format);
}

ExitCode repair(const RescueOptions& options, Context& context) {
  if (!has_database(options.database, context)) return ExitCode::failed;
  const auto path = database_path(options.database, context);
  const auto output = options.output.empty() ? path.string() + ".repaired" : options.output;
  auto repaired = repair_database(path, output);
  if (!repaired) return fail(context, ExitCode::failed, repaired.error().message);
  if (options.format.json) {
    Json tables = Json::object();
    for (const auto& [name, kept] : *repaired) tables[name] = {{"kept", kept}};
    print(context.out, {{"output", output}, {"tables", tables}});
    return ExitCode::done;
  }
  Table table;
  table.add_column("table", Table::Align::left);
  table.add_column("kept", Table::Align::right);
  for (const auto& [name, kept] : *repaired) table.add_row({name, {format_count(kept), Value(kept)}});
  table.print(context.out, context.out_screen, options.format);
  if (options.format.is_text()) context.out << output << " has every readable row\n";
  return ExitCode::done;
}

}  // namespace

Command db_check_command() {
  return make_command<HealthOptions>("check", "Verify pages, references and the schema", "gktune db check", declare_check,
                                     check);
}

Command db_repair_command() {
  return make_command<RescueOptions>("repair", "Copy the readable rows of a damaged database to a new file",
                                     "gktune db repair --db damaged.db -o rescued.db", declare_repair,
                                     repair);
}

}  // namespace gktune
