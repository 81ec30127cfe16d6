// gktune db rm, gktune db check, gktune db repair: remove studies, find damage and save what can be read.
#include <fmt/format.h>

#include "cli/command.h"

namespace gktune {
namespace {

void print_removed(const Removed& removed, Removal removal, Context& context) {
  context.out << fmt::format("{}: {}, {}, {}, {}\n", removal == Removal::done ? "removed" : "would remove",
                             format_things(removed.studies, "study"), format_things(removed.trials, "trial"),
                             format_things(removed.playoffs, "playoff"),
                             format_things(removed.sessions, "session"));
}

std::vector<std::int64_t> ids_of(const std::vector<StudySummary>& studies) {
  std::vector<std::int64_t> ids;
  for (const StudySummary& each : studies) ids.push_back(each.id);
  return ids;
}

struct RemoveOptions {
  StudyFlags selection;
  std::vector<std::string> studies;
  bool is_dry = false;
};

void declare_remove(Flags& flags, RemoveOptions& options) {
  flags.texts("STUDY", options.studies, "Studies: ids, or KERNEL[/AXIS=VALUE,…][@DEVICE]");
  declare_study_flags(flags, options.selection);
  flags.on("--dry-run", options.is_dry, "Report what would be removed, and remove nothing");
}

ExitCode remove(const RemoveOptions& options, Context& context) {
  if (options.studies.empty() && options.selection.filter.is_empty())
    return fail_usage(context, "nothing is selected; name studies, or select some by a flag");
  const auto studies = selected_studies(options.selection, options.studies, context);
  // A rehearsal only reads.
  const auto access = options.is_dry ? Database::Access::read : Database::Access::write;
  const Removal removal = options.is_dry ? Removal::rehearsed : Removal::done;
  auto store =
      value_or_end(Database::open(database_path(options.selection.database, context), access), context);
  print_removed(value_or_end(store->remove_studies(ids_of(studies), removal), context), removal, context);
  return ExitCode::done;
}

ExitCode check(const DatabaseFlags& options, Context& context) {
  require_database(options.database, context);
  const auto findings = value_or_end(check_database(database_path(options.database, context)), context);
  const bool is_good = findings.empty();
  if (!options.format.is_text()) {
    Table table(Record{{"finding"}});
    for (const std::string& finding : findings) table.add({{"finding", finding}});
    table.print(context, options.format, {{"findings", findings}});
    return is_good ? ExitCode::done : ExitCode::failed;
  }
  for (const std::string& finding : findings) context.out << finding << '\n';
  if (is_good) {
    context.out << "nothing is wrong\n";
    return ExitCode::done;
  }
  hint(context,
       "gktune db repair" + database_flag(options.database) + " copies the readable rows to a new file");
  return ExitCode::failed;
}

struct RescueOptions : DatabaseFlags {
  std::string output;
};

void declare_repair(Flags& flags, RescueOptions& options) {
  flags.database(options.database);
  flags.text("--output,-o", options.output, "The new file; default: that of --db with .repaired", "FILE");
  flags.table_format(options.format);
}

ExitCode repair(const RescueOptions& options, Context& context) {
  require_database(options.database, context);
  const auto path = database_path(options.database, context);
  const auto output = options.output.empty() ? path.string() + ".repaired" : options.output;
  auto repaired = value_or_end(repair_database(path, output), context);
  Json tables = Json::object();
  Table table;
  for (const auto& [name, kept] : repaired) {
    tables[name] = {{"kept", kept}};
    table.add({{"table", name}, {"kept", kept, Unit::count}});
  }
  table.print(context, options.format, {{"output", output}, {"tables", tables}});
  if (options.format.is_text()) context.out << output << " has every readable row\n";
  return ExitCode::done;
}

}  // namespace

Command db_rm_command() {
  return make_command<RemoveOptions>("rm", "Remove studies", "gktune db rm reduce@H100 --dry-run",
                                     declare_remove, remove);
}

Command db_check_command() {
  return make_command<DatabaseFlags>("check", "Verify pages, references and the schema", "gktune db check",
                                     declare_database_flags, check);
}

Command db_repair_command() {
  return make_command<RescueOptions>("repair", "Copy the readable rows of a damaged database to a new file",
                                     "gktune db repair --db damaged.db -o rescued.db", declare_repair,
                                     repair);
}

}  // namespace gktune
