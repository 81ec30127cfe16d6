// gktune db rm, gktune db prune: remove studies and trials.
#include <fmt/format.h>

#include <ostream>

#include "cli/commands/db_commands.h"
#include "cli/database.h"
#include "cli/output/quantity.h"
#include "cli/study_flags.h"
#include "db/database.h"
#include "tuner/core/seconds_since.h"

namespace gktune {
namespace {

void print_removed(const Removed& removed, Removal removal, Context& context) {
  context.out << fmt::format("{}: {}, {}, {}, {}\n", removal == Removal::done ? "removed" : "would remove",
                             format_things(removed.studies, "study"),
                             format_things(removed.trials, "trial"),
                             format_things(removed.playoffs, "playoff"),
                             format_things(removed.sessions, "session"));
}

// `remove` gets the database: to read where nothing is removed.
template <class Remove>
ExitCode run_removal(const std::string& flag, Removal removal, Context& context, Remove remove) {
  if (!has_database(flag, context)) return ExitCode::failed;
  auto store = Database::open(database_path(flag, context),
                              removal == Removal::done ? Database::Access::write : Database::Access::read);
  if (!store) return fail(context, ExitCode::failed, store.error().message);
  const Result<Removed> removed = remove(**store);
  if (!removed) return fail(context, ExitCode::failed, removed.error().message);
  print_removed(*removed, removal, context);
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
  flags
      .collected("--trial", options.trials,
                 "Remove the trial with this id from `gktune db show`; may be repeated")
      .kind("ID");
  declare_study_flags(flags, options.selection);
  declare_dry_run(flags, options.is_dry);
}

ExitCode remove(const RemoveOptions& options, Context& context) {
  const Removal removal = options.is_dry ? Removal::rehearsed : Removal::done;
  const bool has_studies = !options.studies.empty() || !options.selection.filter.is_empty();
  if (!options.trials.empty()) {
    if (has_studies) return fail_usage(context, "gktune db rm", "name studies or trials, not both");
    std::vector<std::int64_t> trials;
    for (const std::string& text : options.trials) {
      const auto id = parse_count(text);
      if (!id) return fail_usage(context, "gktune db rm", "--trial: " + id.error().message);
      trials.push_back(*id);
    }
    return run_removal(options.selection.database, removal, context,
                       [&](Database& store) { return store.remove_trials(trials, removal); });
  }
  if (!has_studies) {
    return fail_usage(context, "gktune db rm", "nothing is selected; name studies, or select some by a flag");
  }
  auto studies = selected_studies(options.selection, options.studies, context);
  if (!studies) return studies.error();
  return run_removal(options.selection.database, removal, context,
                     [&](Database& store) { return store.remove_studies(ids_of(*studies), removal); });
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
  if (!rules.superseded && !rules.failed && !rules.outdated) {
    return fail_usage(context, "gktune db prune",
                      "add --superseded, --failed-trials or --outdated to say what to remove");
  }
  // The age is that of trials here.
  StudyFlags selection = options.selection;
  rules.before_unix_ms = before_unix_ms(selection.filter.older_s, now_unix_ms());
  selection.filter.older_s.reset();
  auto studies = selected_studies(selection, context);
  if (!studies) return studies.error();
  const Removal removal = options.is_dry ? Removal::rehearsed : Removal::done;
  return run_removal(selection.database, removal, context,
                     [&](Database& store) { return store.prune(ids_of(*studies), rules, removal); });
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

}  // namespace gktune
