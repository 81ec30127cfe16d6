// gktune db ls, gktune db show: the studies and trials of a database.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/database.h"
#include "cli/flags.h"
#include "cli/output/importance.h"
#include "cli/output/json.h"
#include "cli/output/pictures.h"
#include "cli/output/quantity.h"
#include "cli/output/trial_table.h"
#include "engine/objective_text.h"
#include "engine/problem_selection.h"
#include "engine/study_facts.h"
#include "tuner/core/spelling.h"

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
    hint(context, "gktune run SPACE adds studies");
    return ExitCode::done;
  }
  study_table(*studies).print(context.out, context.out_screen);
  return ExitCode::done;
}

struct ShowOptions {
  std::string database;
  std::string which;  // a study's id or a kernel's name
  bool failed = false;
  bool importance = false;
  std::int64_t limit = 20;
  bool json = false;
};

void declare_show(Flags& flags, ShowOptions& options) {
  flags
      .text("STUDY", options.which,
            "The id of a study, as `gktune db ls` shows it, or a kernel: all its studies")
      .kind("ID|KERNEL")
      .required();
  flags.database(options.database);
  const Flag failed = flags.on("--failed", options.failed, "Show the failed trials with their messages");
  flags
      .on("--importance", options.importance,
          "Show which parameters matter, which values are never among the best, and why trials failed")
      .excludes(failed);
  flags.parsed("--limit", options.limit, parse_count, "Show so many trials of a study; 0: all", "N")
      .shown_default("20");
  flags.json(options.json);
}

// The studies that the user names: one by its id, or all of a kernel.
Result<std::vector<StudySummary>> find_studies(const TrialStore& store, const std::string& which) {
  const auto id = parse_count(which);
  auto studies = store.studies();
  if (!studies) return studies;
  std::vector<std::string> kernels;
  for (const StudySummary& each : *studies) kernels.push_back(each.study.kernel);
  std::erase_if(*studies, [&](const StudySummary& each) {
    return each.study.kernel != which && !(id && each.id == *id);
  });
  if (!studies->empty()) return studies;
  if (id) return Error{"there is no study " + which};
  return Error{"there is no study of a kernel '" + which + "'" + did_you_mean(which, kernels)};
}

// The trials of one study in the order in which they are shown.
struct StudyReport {
  StudySummary summary;
  Failures failures;
  std::vector<Trial> trials;
  std::optional<Best> winner;
  ScoreHistory history;
  std::size_t finalists = 0;  // number of trials at the front with the times of the playoff
};

// Finalists first: their times come from one playoff and are comparable. The others follow by objective.
void put_finalists_first(std::vector<Trial> finalists, StudyReport& report) {
  std::erase_if(report.trials, [&](const Trial& trial) {
    return std::ranges::find(finalists, trial.id, &Trial::id) != finalists.end();
  });
  report.finalists = finalists.size();
  report.trials.insert(report.trials.begin(), finalists.begin(), finalists.end());
}

Result<StudyReport> report_on(const TrialStore& store, const StudySummary& summary, bool failed) {
  StudyReport report{.summary = summary};
  auto trials = store.trials(summary.id);
  if (!trials) return trials.error();
  report.failures = failures_of(*trials);
  auto winners = store.best(summary.study.kernel);
  if (!winners) return winners.error();
  const auto winner = std::ranges::find(*winners, summary.id, &Best::study_id);
  if (winner != winners->end()) report.winner = *winner;
  if (failed) {
    std::ranges::copy_if(*trials, std::back_inserter(report.trials),
                         [](const Trial& trial) { return !trial.ok(); });
    return report;
  }
  report.history = history_of(*trials, objective_from_text(summary.study.objective));
  report.trials = ranked(*trials);
  auto playoff = store.playoff(summary.id);
  if (!playoff) return playoff.error();
  if (*playoff) {
    put_finalists_first(std::move((*playoff)->finalists), report);
  } else if (report.winner) {
    // This also marks the winner where another trial has the same objective.
    const auto first = std::ranges::find(report.trials, report.winner->trial.id, &Trial::id);
    if (first != report.trials.end()) std::rotate(report.trials.begin(), first, first + 1);
  }
  return report;
}

std::string winner_text(const StudyReport& report) {
  const Best& winner = *report.winner;
  const auto samples = fmt::format("{} samples", winner.trial.samples_us.size());
  std::string text =
      fmt::format("winner: trial {} with {}", winner.trial.id, format_time_us(winner.trial.timing.median_us));
  if (!winner.from_playoff) return text + ", " + samples;
  return text + " in the playoff, " + samples;
}

void print_title(const StudySummary& summary, const Failures& failures, Context& context) {
  const Study& study = summary.study;
  context.out << paint(context.out_screen, Ink::bold,
                       fmt::format("{} {}", study.kernel, problem_text(study.problem)))
              << fmt::format(" on {} ({}, objective: {})\n", study.device.name, regime_name(study.regime),
                             study.objective);
  context.out << fmt::format("{} trials", format_count(summary.trials))
              << (failures.empty() ? "" : "; failed: " + failures_text(failures)) << '\n';
}

void print_study(const StudyReport& report, const ShowOptions& options, std::size_t limit, Context& context) {
  print_title(report.summary, report.failures, context);
  if (report.winner) context.out << winner_text(report) << '\n';
  const Table table =
      options.failed ? failure_table(report.trials, limit) : trial_table(report.trials, limit, Ids::shown);
  if (table.empty()) return;
  context.out << '\n';
  table.print(context.out, context.out_screen);
  if (report.finalists > 1) {
    context.out << fmt::format("the first {} were compared in the playoff and have its times\n",
                               report.finalists);
  }
  print_pictures(context.out, context.out_screen, report.history);
}

Json report_json(const StudyReport& report, std::size_t limit) {
  Json json = summary_json(report.summary);
  json["winner"] = Json();
  if (report.winner) {
    json["winner"] = {{"id", report.winner->trial.id}, {"from_playoff", report.winner->from_playoff}};
  }
  json["results"] = Json::array();
  for (std::size_t i = 0; i < std::min(limit, report.trials.size()); ++i) {
    Json result = json_of(report.trials[i]);
    result["from_playoff"] = i < report.finalists;
    json["results"].push_back(std::move(result));
  }
  return json;
}

// Prints the importance of parameters in each study, as JSON if it is wanted.
ExitCode show_importance(const TrialStore& store, const std::vector<StudySummary>& studies,
                         const ShowOptions& options, Context& context) {
  auto winners = store.best("");
  if (!winners) return fail(context, ExitCode::failed, winners.error().message);
  Json reports = Json::array();
  for (const StudySummary& summary : studies) {
    auto facts = facts_of(store, summary, *winners);
    if (!facts) return fail(context, ExitCode::failed, facts.error().message);
    if (options.json) {
      reports.push_back(summary_json(summary));
      reports.back()["importance"] = importance_json(*facts);
      continue;
    }
    if (summary.id != studies.front().id) context.out << '\n';
    print_title(summary, facts->failures, context);
    context.out << '\n';
    print_importance(context.out, context.out_screen, *facts);
  }
  // An id names one study, a kernel any number of them.
  if (options.json) print(context.out, parse_count(options.which) ? reports.front() : reports);
  return ExitCode::done;
}

ExitCode show(const ShowOptions& options, Context& context) {
  auto store = open_database(options.database, context);
  if (!store) return ExitCode::failed;
  auto studies = find_studies(*store, options.which);
  if (!studies) {
    fail(context, ExitCode::failed, studies.error().message);
    hint(context, "gktune db ls" + database_flag(options.database) + " lists them");
    return ExitCode::failed;
  }
  if (options.importance) return show_importance(*store, *studies, options, context);
  Json reports = Json::array();
  std::size_t hidden = 0;
  for (const StudySummary& summary : *studies) {
    auto report = report_on(*store, summary, options.failed);
    if (!report) return fail(context, ExitCode::failed, report.error().message);
    const std::size_t limit =
        options.limit == 0 ? report->trials.size() : static_cast<std::size_t>(options.limit);
    hidden = std::max(hidden, limit < report->trials.size() ? report->trials.size() : 0);
    if (options.json) {
      reports.push_back(report_json(*report, limit));
      continue;
    }
    if (summary.id != studies->front().id) context.out << '\n';
    print_study(*report, options, limit, context);
  }
  if (options.json) {
    // An id names one study, a kernel any number of them.
    print(context.out, parse_count(options.which) ? reports.front() : reports);
  } else if (hidden > 0) {
    hint(context, fmt::format("--limit 0 shows all {}", format_count(static_cast<std::int64_t>(hidden))));
  }
  return ExitCode::done;
}

}  // namespace

Command db_command() {
  Command command{"db", "Show the database of trials", "gktune db ls", {}, {}};
  command.children.push_back(make_command<ListOptions>("ls", "List the studies: kernel, problem, device",
                                                       "gktune db ls", declare_list, list));
  command.children.push_back(make_command<ShowOptions>("show", "Show the trials of a study, best first",
                                                       "gktune db show reduce --limit 5", declare_show,
                                                       show));
  return command;
}

}  // namespace gktune
