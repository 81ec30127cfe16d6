// gktune db ls, gktune db show: what the database holds.
#include <fmt/format.h>

#include <ostream>

#include "cli/commands/commands.h"
#include "cli/database.h"
#include "cli/flags.h"
#include "cli/json.h"
#include "engine/problem_selection.h"
#include "cli/quantity.h"
#include "cli/trial_table.h"

namespace gktune {
namespace {

struct ListOptions {
  std::string database;
  bool json = false;
};

void declare_list(Flags& flags, ListOptions& options) {
  flags.database(options.database);
  flags.json(options.json);
}

Json summary_json(const StudySummary& summary) {
  const Study& study = summary.study;
  return {{"id", summary.id},
          {"kernel", study.kernel},
          {"problem", json_of(study.problem)},
          {"device", json_of(study.device)},
          {"regime", regime_name(study.regime)},
          {"objective", study.objective},
          {"fingerprint", study.fingerprint},
          {"trials", summary.trials},
          {"failed", summary.failed},
          {"best_us", summary.best_us ? Json(*summary.best_us) : Json()},
          {"updated_unix_ms", summary.updated_unix_ms}};
}

Table study_table(const std::vector<StudySummary>& studies) {
  using enum Table::Align;
  Table table;
  table.add_column("id", right);
  table.add_column("kernel", left);
  table.add_column("problem", left);
  table.add_column("trials", right);
  table.add_column("failed", right);
  table.add_column("best", right);
  table.add_column("device", left);
  table.add_column("regime", left);
  table.add_column("objective", left);
  table.add_column("updated (UTC)", left);
  for (const StudySummary& each : studies) {
    table.add_row({std::to_string(each.id), each.study.kernel, problem_text(each.study.problem),
                   format_count(each.trials), format_count(each.failed),
                   each.best_us ? format_time_us(*each.best_us) : "-", each.study.device.name,
                   std::string(regime_name(each.study.regime)), each.study.objective,
                   format_date(each.updated_unix_ms)});
  }
  return table;
}

ExitCode list(const ListOptions& options, Context& context) {
  auto store = open_database(options.database, context);
  if (!store) return ExitCode::failed;
  auto studies = store->studies();
  if (!studies) return fail(context, ExitCode::failed, studies.error().message);
  if (options.json) {
    Json array = Json::array();
    for (const StudySummary& each : *studies) array.push_back(summary_json(each));
    print(context.out, array);
    return ExitCode::done;
  }
  if (studies->empty()) {
    context.err << "the database is empty\n";
    hint(context, "gktune run SPACE fills it");
    return ExitCode::done;
  }
  study_table(*studies).print(context.out, context.out_screen);
  return ExitCode::done;
}

struct ShowOptions {
  std::string database;
  std::int64_t study = 0;
  bool failed = false;
  std::int64_t limit = 20;
  bool json = false;
};

void declare_show(Flags& flags, ShowOptions& options) {
  flags.parsed("ID", options.study, parse_count, "The study, as `gktune db ls` numbers them", "ID")
      .required();
  flags.database(options.database);
  flags.on("--failed", options.failed, "What failed, with the reason");
  flags.parsed("--limit", options.limit, parse_count, "How many trials; 0: all", "N").shown_default("20");
  flags.json(options.json);
}

void print_study(const StudySummary& summary, const std::vector<Trial>& trials, const Table& table,
                 Context& context) {
  const Study& study = summary.study;
  context.out << paint(context.out_screen, Ink::bold,
                       fmt::format("{} {}", study.kernel, problem_text(study.problem)))
              << fmt::format(" on {} ({}, objective: {})\n", study.device.name, regime_name(study.regime),
                             study.objective);
  Failures failures = failures_of(trials);
  context.out << fmt::format("{} trials", format_count(summary.trials))
              << (failures.empty() ? "" : "; failed: " + failures_text(failures)) << '\n';
  if (table.empty()) return;
  context.out << '\n';
  table.print(context.out, context.out_screen);
}

ExitCode show(const ShowOptions& options, Context& context) {
  auto store = open_database(options.database, context);
  if (!store) return ExitCode::failed;
  auto summary = store->study(options.study);
  if (!summary) return fail(context, ExitCode::failed, summary.error().message);
  if (!*summary) {
    fail(context, ExitCode::failed, fmt::format("there is no study {}", options.study));
    hint(context, "gktune db ls" + database_flag(options.database) + " lists them");
    return ExitCode::failed;
  }
  auto trials = store->trials(options.study);
  if (!trials) return fail(context, ExitCode::failed, trials.error().message);

  std::vector<Trial> chosen;
  if (options.failed) {
    std::ranges::copy_if(*trials, std::back_inserter(chosen), [](const Trial& trial) { return !trial.ok(); });
  } else {
    chosen = ranked(*trials);
  }
  std::size_t limit = options.limit == 0 ? chosen.size() : static_cast<std::size_t>(options.limit);
  if (options.json) {
    Json report = summary_json(**summary);
    report["results"] = Json::array();
    for (std::size_t i = 0; i < std::min(limit, chosen.size()); ++i) {
      report["results"].push_back(json_of(chosen[i]));
    }
    print(context.out, report);
    return ExitCode::done;
  }
  Table table = options.failed ? failure_table(chosen, limit) : trial_table(chosen, limit, Ids::shown);
  print_study(**summary, *trials, table, context);
  if (limit < chosen.size())
    hint(context, fmt::format("--limit 0 shows all {}", format_count(std::ssize(chosen))));
  return ExitCode::done;
}

}  // namespace

Command db_command() {
  Command command{"db", "Look into the database of trials", "gktune db ls", {}, {}};
  command.children.push_back(make_command<ListOptions>("ls", "List the studies: kernel, problem, device",
                                                       "gktune db ls", declare_list, list));
  command.children.push_back(make_command<ShowOptions>("show", "Show the trials of a study, the best first",
                                                       "gktune db show 1 --limit 5", declare_show, show));
  return command;
}

}  // namespace gktune
