// gktune db rm, gktune db prune: remove studies and trials.
#include <fmt/format.h>

#include <ostream>

#include "cli/commands/db_commands.h"
#include "cli/database.h"
#include "cli/output/quantity.h"
#include "cli/study_flags.h"
#include "db/store/removal.h"

namespace gktune {
namespace {

void print_removed(const Removed& removed, Removal removal, Context& context) {
  context.out << fmt::format("{}: {}, {}, {}{}\n", removal == Removal::done ? "removed" : "would remove",
                             format_things(removed.studies, "study"),
                             format_things(removed.trials, "trial"),
                             format_things(removed.playoffs, "playoff"),
                             removed.sessions ? ", " + format_things(*removed.sessions, "session") : "");
}

ExitCode finish(const Result<Removed>& removed, Removal removal, Context& context) {
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
    if (auto store = open_database(options.selection.database, context); !store) return ExitCode::failed;
    return finish(remove_trials(database_path(options.selection.database, context), trials, removal), removal,
                  context);
  }
  if (!has_studies) {
    return fail_usage(context, "gktune db rm", "nothing is selected; name studies, or select some by a flag");
  }
  auto studies = selected_studies(options.selection, options.studies, context);
  if (!studies) return studies.error();
  return finish(remove_studies(database_path(options.selection.database, context), ids_of(*studies), removal),
                removal, context);
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
  rules.before_unix_ms = before_unix_ms(selection.filter.older_s, current_unix_ms());
  selection.filter.older_s.reset();
  auto studies = selected_studies(selection, context);
  if (!studies) return studies.error();
  const Removal removal = options.is_dry ? Removal::rehearsed : Removal::done;
  return finish(prune(database_path(selection.database, context), ids_of(*studies), rules, removal), removal,
                context);
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
