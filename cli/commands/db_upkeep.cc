// gktune db rm, gktune db prune: remove studies and trials.
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

// `remove` gets the database: to read where nothing is removed.
template <class Remove>
ExitCode run_removal(const std::string& flag, Removal removal, Context& context, Remove remove) {
  require_database(flag, context);
  auto store = value_or_end(
      Database::open(database_path(flag, context),
                     removal == Removal::done ? Database::Access::write : Database::Access::read),
      context);
  print_removed(value_or_end(remove(*store), context), removal, context);
  return ExitCode::done;
}

std::vector<std::int64_t> ids_of(const std::vector<StudySummary>& studies) {
  std::vector<std::int64_t> ids;
  for (const StudySummary& each : studies) ids.push_back(each.id);
  return ids;
}

void declare_dry_run(Flags& flags, bool& is_dry) {
  flags.on("--dry-run", is_dry, "Report what would be removed, and remove nothing");
}

struct RemoveOptions {
  StudyFlags selection;
  std::vector<std::string> studies, trials;
  bool is_dry = false;
};

void declare_remove(Flags& flags, RemoveOptions& options) {
  flags.texts("STUDY", options.studies, "Studies: ids, or KERNEL[/AXIS=VALUE,…][@DEVICE]");
  flags.collected("--trial", options.trials,
                  "Remove the trial with this id from `gktune db show`; may be repeated", "ID");
  declare_study_flags(flags, options.selection);
  declare_dry_run(flags, options.is_dry);
}

ExitCode remove(const RemoveOptions& options, Context& context) {
  const Removal removal = options.is_dry ? Removal::rehearsed : Removal::done;
  const bool has_studies = !options.studies.empty() || !options.selection.filter.is_empty();
  if (!options.trials.empty()) {
    if (has_studies) return fail_usage(context, "name studies or trials, not both");
    std::vector<std::int64_t> trials;
    for (const std::string& text : options.trials) {
      const auto id = parse_count(text);
      if (!id) return fail_usage(context, "--trial: " + id.error().message);
      trials.push_back(*id);
    }
    return run_removal(options.selection.database, removal, context,
                       [&](Database& store) { return store.remove_trials(trials, removal); });
  }
  if (!has_studies) return fail_usage(context, "nothing is selected; name studies, or select some by a flag");
  auto studies = selected_studies(options.selection, options.studies, context);
  return run_removal(options.selection.database, removal, context,
                     [&](Database& store) { return store.remove_studies(ids_of(studies), removal); });
}

struct PruneOptions {
  StudyFlags selection;
  PruneRules rules;
  bool is_dry = false;
};

void declare_prune(Flags& flags, PruneOptions& options) {
  flags.on("--superseded", options.rules.superseded, "Remove trials that were measured again");
  flags.on("--failed-trials", options.rules.failed,
           "Remove configurations that failed, so that they are tried again");
  flags.on("--outdated", options.rules.outdated, "Remove studies of earlier versions of a kernel's source");
  declare_study_flags(flags, options.selection);
  declare_dry_run(flags, options.is_dry);
}

ExitCode prune_database(const PruneOptions& options, Context& context) {
  PruneRules rules = options.rules;
  if (!rules.superseded && !rules.failed && !rules.outdated)
    return fail_usage(context, "add --superseded, --failed-trials or --outdated to say what to remove");
  // The age is that of trials here.
  StudyFlags selection = options.selection;
  rules.before_unix_ms = before_unix_ms(selection.filter.older_s, now_unix_ms());
  selection.filter.older_s.reset();
  auto studies = selected_studies(selection, {}, context);
  const Removal removal = options.is_dry ? Removal::rehearsed : Removal::done;
  return run_removal(selection.database, removal, context,
                     [&](Database& store) { return store.prune(ids_of(studies), rules, removal); });
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
  return make_command<RemoveOptions>("rm", "Remove studies or trials", "gktune db rm reduce@H100 --dry-run",
                                     declare_remove, remove);
}

Command db_prune_command() {
  return make_command<PruneOptions>("prune", "Remove superseded, failed or outdated trials",
                                    "gktune db prune --superseded --older 30d", declare_prune,
                                    prune_database);
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
