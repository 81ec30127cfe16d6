// gktune db diff, gktune db stats, gktune db sql: compare, count, ask anything.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/command.h"
#include "cli/output/screen.h"
#include "engine/selection.h"

namespace gktune {
namespace {

struct DiffOptions {
  std::string first, second, database;
  std::int64_t limit = 10;
  TableFormat format;
};

void declare_diff(Flags& flags, DiffOptions& options) {
  flags.text("STUDY", options.first, "A study: its id, or KERNEL[/AXIS=VALUE,…][@DEVICE]").required();
  flags.text("OTHER", options.second, "The other study").required();
  flags.database(options.database);
  flags.parsed("--limit", options.limit, parse_count, "Show at most N configurations; 0: all", "N")
      .shown_default("10");
  flags.table_format(options.format);
}

// Negative: the second study is quicker.
double change_of(const CommonConfig& config) {
  return std::log(config.second.timing.median_us / config.first.timing.median_us);
}

bool is_timed(const CommonConfig& config) {
  return config.first.status == Status::ok && config.second.status == Status::ok &&
         config.first.timing.median_us > 0 && config.second.timing.median_us > 0;
}

Table diff_table(const std::vector<CommonConfig>& configs, std::size_t limit) {
  const auto record_of = [](const CommonConfig& each) -> Record {
    const auto time = [](const Trial& trial) {
      return trial.ok() ? json_above_zero(trial.timing.median_us) : Json();
    };
    const Json change =
        is_timed(each) ? Json(each.second.timing.median_us / each.first.timing.median_us - 1) : Json();
    return {{"first_us", time(each.first), Unit::microseconds, "first"},
            {"second_us", time(each.second), Unit::microseconds, "second"},
            {"change", change, Unit::change},
            {"first_status", each.first.status},
            {"second_status", each.second.status},
            {"configuration", each.config.str()}};
  };
  Table table(record_of({}));
  for (std::size_t i = 0; i < std::min(limit, configs.size()); ++i) table.add(record_of(configs[i]));
  return table;
}

void print_difference(const StudySummary& first, const StudySummary& second,
                      const std::vector<CommonConfig>& configs, Context& context) {
  double sum = 0;
  std::int64_t timed = 0, quicker = 0, changed = 0;
  for (const CommonConfig& each : configs) {
    if (each.first.status != each.second.status) ++changed;
    if (!is_timed(each)) continue;
    ++timed;
    sum += change_of(each);
    quicker += each.second.timing.median_us < each.first.timing.median_us ? 1 : 0;
  }
  for (const auto& [name, study] : {std::pair("first: ", &first), std::pair("second:", &second)}) {
    const std::string problem = study->study.problem.empty() ? "" : " " + problem_text(study->study.problem);
    context.out << one_line(fmt::format("{} {}{} on {} ({}), {}, best {}", name, study->study.kernel, problem,
                                        study->study.device.name, regime_name(study->study.regime),
                                        format_things(study->trials, "trial"),
                                        study->best_us ? format_time_us(*study->best_us) : "-"))
                << '\n';
  }
  if (first.study.fingerprint != second.study.fingerprint) context.out << "their sources or options differ\n";
  context.out << fmt::format("{} in common; the status of {} differs\n",
                             format_things(std::ssize(configs), "configuration"), format_count(changed));
  if (timed == 0) return;
  context.out << fmt::format(
      "the second takes {:.3f} × the time of the first (geometric mean), and is quicker for {} "
      "of {}\n\n",
      std::exp(sum / static_cast<double>(timed)), format_count(quicker), format_count(timed));
}

ExitCode diff(const DiffOptions& options, Context& context) {
  auto store = open_database(options.database, context);
  auto studies = value_or_end(store->studies(Counts::ignored), context);
  auto first = named_study(studies, options.first), second = named_study(studies, options.second);
  for (auto* each : {&first, &second}) {
    if (!*each) return fail_selection(options.database, each->error().message, context);
    if (const auto counted = value_or_end(store->study((*each)->id), context)) *each = *counted;
  }
  auto common = value_or_end(store->common(first->id, second->id), context);
  std::vector<CommonConfig>& configs = common;
  // Changes of status first, then the largest changes of time.
  std::ranges::stable_sort(configs, {}, [](const CommonConfig& each) {
    return std::pair(each.first.status == each.second.status,
                     is_timed(each) ? -std::abs(change_of(each)) : 0);
  });
  const auto limit = options.limit == 0 ? configs.size() : static_cast<std::size_t>(options.limit);
  if (options.format.is_text()) print_difference(*first, *second, configs, context);
  diff_table(configs, limit).print(context, options.format);
  if (limit < configs.size())
    hint(context, fmt::format("--limit 0 shows all {}", format_count(std::ssize(configs))));
  return ExitCode::done;
}

ExitCode stats(const DatabaseFlags& options, Context& context) {
  auto store = open_database(options.database, context);
  auto totals = value_or_end(store->totals(), context);
  auto counts = value_or_end(store->counts(), context);
  std::int64_t trials = 0;
  for (const auto& [status, of_status] : counts.by_status) trials += of_status;
  Table table;
  const auto add = [&](const std::string& key, const Json& value, Unit unit = Unit::count,
                       const char* name = "") {
    const std::string text = value.is_null() ? "-" : format_in(unit, value.get<double>());
    table.add({{"figure", {*name == '\0' ? key : name, key}}, {"value", {text, value}}});
  };
  add("kernels", totals.kernels);
  add("devices", totals.devices);
  add("studies", totals.studies);
  add("sessions", totals.sessions);
  add("trials", trials);
  for (const auto& [status, of_status] : counts.by_status)
    add("trials " + std::string(status_name(status)), of_status);
  add("superseded trials", counts.superseded);
  add("playoffs", totals.playoffs);
  add("portfolios", totals.portfolios);
  add("compile_s", counts.compile_s, Unit::seconds, "compilation");
  add("run_s", counts.run_s, Unit::seconds, "measurement");
  add("size_bytes", totals.bytes, Unit::bytes, "size");
  add("unused_bytes", totals.free_bytes, Unit::bytes, "unused");
  add("schema", totals.schema);
  add("first_session_unix_ms", written<Json>(totals.first_unix_ms), Unit::unix_ms, "first session (UTC)");
  add("last_trial_unix_ms", written<Json>(totals.last_unix_ms), Unit::unix_ms, "last trial (UTC)");
  table.print(context, options.format);
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

Command db_diff_command() {
  return make_command<DiffOptions>("diff", "Compare two studies, configuration by configuration",
                                   "gktune db diff reduce/n=1Mi@H100 reduce/n=1Mi@H200", declare_diff, diff);
}

Command db_stats_command() {
  return make_command<DatabaseFlags>("stats", "Count kernels, studies, trials and failures",
                                     "gktune db stats", declare_database_flags, stats);
}

Command db_sql_command() {
  return make_command<SqlOptions>(
      "sql", "Run a read-only query",
      "gktune db sql \"SELECT status, count(*) FROM trial_view GROUP BY status\" --csv", declare_sql,
      run_sql);
}

}  // namespace gktune
