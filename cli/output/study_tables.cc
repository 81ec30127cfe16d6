#include "cli/output/study_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output/screen.h"
#include "cli/output/units.h"

namespace gktune {
namespace {

// Adds the names that are not listed yet.
void collect_names(const NamedValues& values, std::vector<std::string>& names) {
  for (const auto& [name, value] : values) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

void add_values(const NamedValues& values, const std::vector<std::string>& names, Record& record) {
  for (const std::string& name : names) {
    const Value* value = values.find(name);
    record.push_back({name, value != nullptr ? Cell(*value) : Cell(), Unit::none, name});
  }
}

std::string first_line(const std::string& text) { return with_short_lines(text.substr(0, text.find('\n'))); }

constexpr std::size_t kRowsShown = 15;
constexpr std::size_t kCausesShown = 10;
constexpr double kNegligible = 0.001;

Record cause_record(const StudyFacts::Cause& cause) {
  return {{"trials", cause.count, Unit::count},
          {"status", cause.status},
          {"example", cause.example, Unit::none, "for example"},
          {"message", cause.message}};
}

void print_shares(std::ostream& stream, const Screen& screen, const StudyFacts& facts) {
  stream << paint(screen, Ink::bold, fmt::format("share of the variance of log {}", facts.score_name))
         << '\n';
  const std::vector<ImportanceRow> rows = importance_rows(facts);
  if (facts.ranking.size() < 2 || rows.empty() || rows.front().share <= 0) {
    stream << (facts.ranking.size() < 2 ? "fewer than two trials succeeded\n" : "nothing varies\n");
    return;
  }
  const Table table = share_table(facts, kRowsShown, kNegligible);
  table.print(stream, screen);
  const std::size_t hidden = rows.size() + 1 - table.size();
  if (hidden > 0)
    stream << format_things(static_cast<std::int64_t>(hidden), "smaller share") << " left out\n";
  if (facts.shares.predicted >= 0) {
    stream << fmt::format(
        "the model explains {:.0f} % of the variance of the fifth of the trials that it was not fitted to\n",
        facts.shares.predicted * 100);
  } else {
    stream << "the trials are too few to tell how well the model predicts\n";
  }
}

void print_causes(std::ostream& stream, const Screen& screen, const StudyFacts& facts) {
  stream << '\n' << paint(screen, Ink::bold, "failures by cause") << '\n';
  if (facts.causes.empty()) {
    stream << "none\n";
    return;
  }
  cause_table(facts, kCausesShown).print(stream, screen);
  if (facts.causes.size() > kCausesShown) {
    stream << format_things(std::ssize(facts.causes) - std::int64_t{kCausesShown}, "rarer cause")
           << " left out\n";
  }
}

}  // namespace

std::vector<Trial> ranked(const std::vector<Trial>& trials) {
  std::vector<Trial> good;
  std::ranges::copy_if(trials, std::back_inserter(good), &Trial::ok);
  std::ranges::stable_sort(good, {}, &Trial::objective);
  return good;
}

Table trial_table(const std::vector<Trial>& trials, std::size_t limit, Ids ids) {
  std::vector<std::string> metrics, parameters;
  for (const Trial& trial : trials) {
    collect_names(trial.metrics, metrics);
    collect_names(trial.config, parameters);
  }
  const auto record_of = [&](const Trial& trial) {
    const double spread = spread_of(trial.timing);
    Record record;
    if (ids == Ids::shown) record.push_back({"id", trial.id});
    record.push_back({"time_us", trial.timing.median_us, Unit::microseconds, "time"});
    record.push_back({"spread", spread < 0 ? Json() : Json(spread), Unit::share, "±"});
    add_values(trial.metrics, metrics, record);
    add_values(trial.config, parameters, record);
    return record;
  };
  Table table(record_of({}));
  for (std::size_t i = 0; i < std::min(limit, trials.size()); ++i) {
    table.add(record_of(trials[i]));
    if (i == 0) table.emphasise();
  }
  return table;
}

Table failure_table(const std::vector<Trial>& trials) {
  const auto record_of = [](const Trial& trial) -> Record {
    return {{"id", trial.id},
            {"status", trial.status},
            {"configuration", trial.config},
            {"message", {first_line(trial.message), Json(trial.message)}}};
  };
  Table table(record_of({}));
  for (const Trial& trial : trials) {
    if (!trial.ok()) table.add(record_of(trial));
  }
  return table;
}

std::string score_text(const Trial& trial) {
  std::string text = format_time_us(trial.timing.median_us);
  for (const auto& [name, value] : trial.metrics) text += ", " + *Cell(value).text + ' ' + name;
  return text;
}

std::string score_text(double score, const std::string& name) {
  return name == "time" ? format_time_us(score) : format_number(score) + ' ' + name;
}

double spread_of(const Timing& timing) {
  if (timing.median_us <= 0 || timing.high_us < timing.low_us || timing.high_us <= 0) return -1;
  return (timing.high_us - timing.low_us) / 2 / timing.median_us;
}

std::vector<std::string> host_findings(const HostTimes& hosts, const std::optional<Playoff>& decided_by) {
  std::vector<std::string> findings;
  for (const auto& [host_name, slower] : hosts.differences()) {
    findings.push_back(
        one_line(fmt::format("host {} is {} {} than host {} on the reference configuration {}", host_name,
                             format_percent(std::abs(slower)), slower < 0 ? "faster" : "slower",
                             hosts.first_host(), hosts.reference()->str())));
  }
  if (!decided_by || !decided_by->other || decided_by->finalists.empty()) return findings;
  const Config& winner = decided_by->finalists.front().config;
  const Playoff::Other& other = *decided_by->other;
  findings.push_back(
      one_line(decided_by->is_confirmed()
                   ? fmt::format("the playoff on host {} confirms the winner of host {}",
                                 decided_by->host_name, other.host_name)
                   : fmt::format("hosts disagree: {} wins on host {}, whose playoff is the latest and "
                                 "decides, and {} on host {}",
                                 winner.str(), decided_by->host_name, other.winner.str(), other.host_name)));
  return findings;
}

std::string commonest_message(const std::vector<Trial>& trials) {
  Failures failures = failures_of(trials);
  auto commonest = std::ranges::max_element(failures, {}, [](const auto& each) { return each.second; });
  if (commonest == failures.end()) return {};
  auto trial = std::ranges::find_if(
      trials, [&](const Trial& each) { return each.status == commonest->first && !each.message.empty(); });
  return trial == trials.end() ? std::string() : trial->message;
}

std::vector<ImportanceRow> importance_rows(const StudyFacts& facts) {
  std::vector<ImportanceRow> rows;
  for (std::size_t i = 0; i < facts.parameters.size(); ++i)
    rows.push_back({facts.parameters[i].name, facts.shares.factors[i]});
  for (const VarianceShares::Pair& pair : facts.shares.pairs) {
    rows.push_back(
        {facts.parameters[pair.first].name + " × " + facts.parameters[pair.second].name, pair.share});
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &ImportanceRow::share);
  return rows;
}

void print_importance(std::ostream& stream, const Screen& screen, const StudyFacts& facts) {
  print_shares(stream, screen, facts);
  print_causes(stream, screen, facts);
}

Table share_table(const StudyFacts& facts, std::size_t most, double least) {
  Table table;
  const auto add = [&](const std::string& parameter, double share) {
    table.add({{"parameter", parameter}, {"share", share, Unit::share}, {"bar", share, Unit::bar, " "}});
  };
  for (const ImportanceRow& row : importance_rows(facts)) {
    if (table.size() < most && row.share >= least) add(row.name, row.share);
  }
  add("three and more together, noise", facts.shares.rest);
  return table;
}

Table cause_table(const StudyFacts& facts, std::size_t most) {
  Table table;
  for (std::size_t i = 0; i < std::min(most, facts.causes.size()); ++i)
    table.add(cause_record(facts.causes[i]));
  return table;
}

Table importance_table() {
  return Table({{"study"},
                {"finding"},
                {"parameter"},
                {"share", {}, Unit::share},
                {"trials", {}, Unit::count},
                {"status"},
                {"example", {}, Unit::none, "for example"},
                {"message"}});
}

void add_importance(Table& table, std::int64_t study, const StudyFacts& facts) {
  const auto add = [&](const char* finding, Record record) {
    record.insert(record.begin(), {{"study", study}, {"finding", finding}});
    table.add(std::move(record));
  };
  if (facts.ranking.size() >= 2) {
    for (const ImportanceRow& row : importance_rows(facts))
      add("share", {{"parameter", row.name}, {"share", row.share}});
    add("rest", {{"share", facts.shares.rest}});
    if (facts.shares.predicted >= 0) add("predicted", {{"share", facts.shares.predicted}});
  }
  for (const StudyFacts::Cause& cause : facts.causes) add("failure", cause_record(cause));
}

}  // namespace gktune
