// gktune db: its commands, of which ls, show and sql are here: the studies and trials of a database.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "cli/command.h"
#include "cli/output/screen.h"
#include "cli/output/stale.h"
#include "cli/output/study_tables.h"
#include "engine/selection.h"
#include "engine/spaces.h"
#include "engine/study_facts.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

struct ListOptions {
  StudyFlags selection;
  TableFormat format;
};

void declare_list(Flags& flags, ListOptions& options) {
  declare_study_flags(flags, options.selection);
  flags.table_format(options.format);
}

Record summary_record(const StudySummary& summary) {
  const Study& study = summary.study;
  return {{"id", summary.id},
          {"kernel", study.kernel},
          {"problem", problem_cell(study.problem)},
          {"trials", summary.trials, Unit::count},
          {"failed", summary.failed, Unit::count},
          {"best_us", summary.best_us, Unit::microseconds, "best"},
          {"device", device_cell(study.device)},
          {"regime", study.regime},
          {"objective", study.objective},
          json_field("fingerprint", study.fingerprint),
          {"updated_unix_ms", json_above_zero(summary.updated_unix_ms), Unit::unix_ms, "updated (UTC)"}};
}

Table study_table(const std::vector<StudySummary>& studies, const TableFormat& format) {
  const bool has_stale = std::ranges::any_of(
      studies, [&](const StudySummary& each) { return each.best_us && !each.changes.empty(); });
  const auto record_of = [&](const StudySummary& study) {
    Record record = summary_record(study);
    record.push_back(
        {"stale", stale_cell(study.changes, format), Unit::none, "", has_stale ? kAllForms : kNotText});
    return record;
  };
  Table table(record_of({}));
  for (const StudySummary& each : studies) table.add(record_of(each));
  return table;
}

ExitCode list(const ListOptions& options, Context& context) {
  const auto studies = selected_studies(options.selection, {}, context);
  warn_of_stale(studies, context);
  if (studies.empty() && options.format.is_text()) {
    if (!options.selection.filter.is_empty()) {
      context.err << "no study is selected\n";
      return ExitCode::done;
    }
    context.err << "the database is empty\n";
    hint(context, "gktune run SPACE adds studies");
    return ExitCode::done;
  }
  study_table(studies, options.format).print(context, options.format);
  return ExitCode::done;
}

struct ShowOptions {
  std::string which;
  StudyFlags selection;
  bool failed = false;
  bool importance = false;
  std::int64_t limit = 20;
  TableFormat format;
};

void declare_show(Flags& flags, ShowOptions& options) {
  flags.text("STUDY", options.which,
             "A study's id from `gktune db ls`, or KERNEL[/AXIS=VALUE,…][@DEVICE]; default: the studies that "
             "the flags select",
             "ID|KERNEL");
  declare_study_flags(flags, options.selection);
  const Flag failed = flags.on("--failed", options.failed, "Show failed trials and their messages");
  flags.on("--importance", options.importance, "Show the important parameters and the causes of failures")
      .excludes(failed);
  flags
      .parsed("--limit", options.limit, parse_count,
              "Show at most N trials of a study and at most N studies; 0: all", "N")
      .shown_default("20");
  flags.table_format(options.format);
}

// The trials of one study in the order in which they are shown.
struct StudyReport {
  StudySummary summary;
  Failures failures;
  std::vector<Trial> trials;
  std::int64_t shown_of = 0;  // the number of trials without a limit
  std::optional<Winner> winner;
  std::vector<std::string> changes;  // since the winner was measured
  std::size_t finalists = 0;         // number of trials at the front with the times of the playoff
};

// Finalists first: their times come from one playoff and are comparable. The others follow by objective.
void put_finalists_first(std::vector<Trial> finalists, StudyReport& report) {
  std::erase_if(report.trials, [&](const Trial& trial) {
    return std::ranges::find(finalists, trial.id, &Trial::id) != finalists.end();
  });
  report.finalists = finalists.size();
  report.trials.insert(report.trials.begin(), finalists.begin(), finalists.end());
}

// The failures that the flags ask for: of one status, or of all.
void read_failures(const Database& store, RankedQuery query, const std::optional<Status>& status,
                   StudyReport& report, Context& context) {
  for (const auto& [failure, count] : report.failures) {
    if (status && *status != failure) continue;
    query.failure = failure;
    auto trials = value_or_end(store.ranked(report.summary.id, query), context);
    report.trials.insert(report.trials.end(), trials.begin(), trials.end());
    report.shown_of += count;
  }
  std::ranges::sort(report.trials, {}, &Trial::id);
}

StudyReport report_on(const Database& store, const StudySummary& summary, const ShowOptions& options,
                      Context& context) {
  StudyReport report{.summary = summary};
  auto failures = value_or_end(store.failures(summary.id), context);
  report.failures = {failures.begin(), failures.end()};
  auto winner = value_or_end(store.winner(summary.id), context);
  report.winner = winner;
  const StudyFilter& filter = options.selection.filter;
  RankedQuery query{.limit = options.limit == 0 ? -1 : options.limit};
  query.since_unix_ms = since_unix_ms(filter.newer_s, now_unix_ms());
  if (options.failed || (filter.status && *filter.status != Status::ok)) {
    read_failures(store, query, filter.status, report, context);
    return report;
  }
  auto playoff = value_or_end(store.playoff(summary.id), context);
  auto trials = value_or_end(store.ranked(summary.id, query), context);
  report.trials = std::move(trials);
  report.shown_of = summary.trials - summary.failed;
  if (playoff) {
    put_finalists_first(std::move(playoff->finalists), report);
  } else if (report.winner) {
    // This also marks the winner where another trial has the same objective.
    const auto first = std::ranges::find(report.trials, report.winner->trial.id, &Trial::id);
    if (first != report.trials.end()) std::rotate(report.trials.begin(), first, first + 1);
  }
  return report;
}

std::string winner_text(const StudyReport& report) {
  const Winner& winner = *report.winner;
  const auto samples = format_things(std::ssize(winner.trial.samples_us), "sample");
  std::string text =
      fmt::format("winner: trial {} with {}", winner.trial.id, format_time_us(winner.trial.timing.median_us));
  if (!winner.from_playoff) return text + ", " + samples;
  return text + " in the playoff, " + samples;
}

void print_title(const StudySummary& summary, const Failures& failures, Context& context) {
  const Study& study = summary.study;
  const std::string problem = study.problem.empty() ? "" : " " + problem_text(study.problem);
  context.out << paint(context.out_screen, Ink::bold, one_line(study.kernel + problem))
              << one_line(fmt::format(" on {} ({}, objective: {})", study.device.name,
                                      regime_name(study.regime), study.objective))
              << '\n';
  context.out << format_things(summary.trials, "trial")
              << (failures.empty() ? "" : "; failed: " + failures_text(failures)) << '\n';
}

void print_study(const StudyReport& report, const ShowOptions& options, Context& context) {
  print_title(report.summary, report.failures, context);
  if (report.winner) context.out << winner_text(report) << '\n';
  if (!report.changes.empty()) context.out << "the winner is stale: " << joined(report.changes, "; ") << '\n';
  const bool shows_failures = !report.trials.empty() && !report.trials.front().ok();
  const Table table = shows_failures ? failure_table(report.trials)
                                     : trial_table(report.trials, report.trials.size(), Ids::shown);
  if (options.failed && report.failures.empty()) context.out << "no trial failed\n";
  if (table.empty()) return;
  context.out << '\n';
  table.print(context.out, context.out_screen);
  if (report.finalists > 1) {
    context.out << fmt::format("the first {} were compared in the playoff and have its times\n",
                               report.finalists);
  }
}

Json report_json(const StudyReport& report) {
  Json json = json_of(summary_record(report.summary));
  json["winner"] = Json();
  if (report.winner)
    json["winner"] = {{"id", report.winner->trial.id}, {"from_playoff", report.winner->from_playoff}};
  json["stale"] = report.changes;
  json["results"] = Json::array();
  for (std::size_t i = 0; i < report.trials.size(); ++i) {
    Json result = json_of(report.trials[i]);
    result["from_playoff"] = i < report.finalists;
    json["results"].push_back(std::move(result));
  }
  return json;
}

// An id names one study, a kernel any number of them.
bool names_id(const ShowOptions& options, const std::vector<StudySummary>& studies) {
  const auto id = number_in(options.which);
  return id && studies.size() == 1 && studies.front().id == *id;
}

// Prints the importance of parameters in each study.
ExitCode show_importance(const Database& store, const std::vector<StudySummary>& studies,
                         const ShowOptions& options, Context& context) {
  auto winners = value_or_end(store.winners(""), context);
  Table rows = importance_table();
  for (const StudySummary& summary : studies) {
    auto facts = value_or_end(facts_of(store, summary, winners), context);
    if (!options.format.is_text()) {
      add_importance(rows, summary.id, facts);
      continue;
    }
    if (summary.id != studies.front().id) context.out << '\n';
    print_title(summary, facts.failures, context);
    context.out << '\n';
    print_importance(context.out, context.out_screen, facts);
  }
  if (!options.format.is_text()) rows.print(context, options.format);
  return ExitCode::done;
}

// The trials of all studies in one table, for programs.
void print_rows(const std::vector<StudyReport>& reports, const ShowOptions& options, Context& context) {
  std::vector<Trial> all;
  for (const StudyReport& report : reports) all.insert(all.end(), report.trials.begin(), report.trials.end());
  const Table table = options.failed ? failure_table(all) : trial_table(all, all.size(), Ids::shown);
  table.print(context, options.format);
}

ExitCode show(const ShowOptions& options, Context& context) {
  if (options.which.empty() && options.selection.filter.is_empty())
    return fail_usage(context, "nothing is selected; name a study, or select some by a flag");
  auto store = open_database(options.selection.database, context);
  std::vector<std::string> words;
  if (!options.which.empty()) words.push_back(options.which);
  auto studies = selected_studies(options.selection, words, context);
  if (studies.empty() && options.format.is_text()) {
    context.err << "no study is selected\n";
    return ExitCode::done;
  }
  const auto selected = std::ssize(studies);
  const bool hides_studies = options.limit > 0 && selected > options.limit;
  if (hides_studies) {
    studies.resize(static_cast<std::size_t>(options.limit));
    hint(context, fmt::format("--limit 0 shows all {} studies", format_count(selected)));
  }
  warn_of_stale(studies, context);
  if (options.importance) return show_importance(*store, studies, options, context);
  std::vector<StudyReport> reports;
  for (const StudySummary& summary : studies) {
    auto report = report_on(*store, summary, options, context);
    report.changes = summary.changes;
    if (options.limit > 0 && std::ssize(report.trials) > options.limit)
      report.trials.resize(static_cast<std::size_t>(options.limit));
    reports.push_back(std::move(report));
  }
  if (options.format.json) {
    Json all = Json::array();
    for (const StudyReport& report : reports) all.push_back(report_json(report));
    print(context.out, names_id(options, studies) ? all.front() : all);
    return ExitCode::done;
  }
  if (!options.format.is_text()) {
    print_rows(reports, options, context);
    return ExitCode::done;
  }
  std::int64_t hidden = 0;
  for (const StudyReport& report : reports) {
    if (&report != reports.data()) context.out << '\n';
    print_study(report, options, context);
    if (std::ssize(report.trials) < report.shown_of) hidden = std::max(hidden, report.shown_of);
  }
  if (hidden > 0 && options.limit > 0 && !hides_studies)
    hint(context, fmt::format("--limit 0 shows all {}", format_count(hidden)));
  return ExitCode::done;
}

struct SqlOptions : DatabaseFlags {
  std::string sql;
};

void declare_sql(Flags& flags, SqlOptions& options) {
  flags.text("SQL", options.sql, "A SELECT over the tables and views of docs/database.md").required();
  declare_database_flags(flags, options);
}

ExitCode run_sql(const SqlOptions& options, Context& context) {
  auto store = open_database(options.database, context);
  auto rows = value_or_end(store->query(options.sql), context);
  std::map<std::string, int> times_used;  // each name has to be another key of an object
  Record record;
  for (const std::string& column : rows.columns) {
    std::string name = column;
    while (times_used[name]++ > 0) name = column + ':' + std::to_string(times_used[column] - 1);
    record.push_back({name, {}, Unit::none, name});
  }
  Table table(record);
  for (const auto& row : rows.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      record[i].cell = row[i] ? Cell(row[i]->str(), json_of(*row[i])) : Cell();
    table.add(record);
  }
  table.print(context, options.format);
  return ExitCode::done;
}

}  // namespace

Command db_command() {
  Command command{"db", "Query, clean up, check and share the database of trials", "gktune db ls", {}, {}};
  command.children.push_back(make_command<ListOptions>("ls", "List the studies: kernel, problem, device",
                                                       "gktune db ls --kernel reduce --newer 7d",
                                                       declare_list, list));
  command.children.push_back(make_command<ShowOptions>("show", "Show the trials of a study, best first",
                                                       "gktune db show reduce/n=1Mi --limit 5", declare_show,
                                                       show));
  command.children.push_back(make_command<SqlOptions>(
      "sql", "Run a read-only query",
      "gktune db sql \"SELECT status, count(*) FROM trial_view GROUP BY status\" --csv", declare_sql,
      run_sql));
  for (auto* child : {db_rm_command, db_check_command, db_repair_command, db_portfolio_command,
                      db_export_command, db_import_command, db_merge_command, db_pull_command,
                      db_push_command, db_queue_command, db_slim_command}) {
    command.children.push_back(child());
  }
  return command;
}

}  // namespace gktune
