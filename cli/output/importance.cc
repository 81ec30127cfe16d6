#include "cli/output/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/output/pictures.h"
#include "cli/output/quantity.h"
#include "cli/output/table.h"

namespace gktune {
namespace {

constexpr std::size_t kRowsShown = 15;
constexpr std::size_t kCausesShown = 10;
constexpr double kNegligible = 0.001;
constexpr std::size_t kBarColumns = 20;

void print_shares(std::ostream& stream, const Screen& screen, const StudyFacts& facts) {
  stream << paint(screen, Ink::bold, fmt::format("share of the variance of log {}", facts.score_name))
         << '\n';
  const std::vector<ImportanceRow> rows = importance_rows(facts);
  if (facts.ranking.size() < 2 || rows.empty() || rows.front().share <= 0) {
    stream << (facts.ranking.size() < 2 ? "fewer than two trials succeeded\n" : "nothing varies\n");
    return;
  }
  Table table;
  table.add_column("parameter", Table::Align::left);
  table.add_column("share", Table::Align::right);
  table.add_column("", Table::Align::left);
  std::size_t shown = 0, hidden = 0;
  for (const ImportanceRow& row : rows) {
    if (shown == kRowsShown || row.share < kNegligible) {
      ++hidden;
      continue;
    }
    ++shown;
    table.add_row({row.name, format_percent(row.share), bar(row.share, kBarColumns)});
  }
  table.add_row({"three and more together, noise", format_percent(facts.shares.rest),
                 bar(facts.shares.rest, kBarColumns)});
  table.print(stream, screen);
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

void print_absent(std::ostream& stream, const Screen& screen, const StudyFacts& facts) {
  stream << '\n'
         << paint(screen, Ink::bold,
                  facts.best_count == 0
                      ? "values that are never among the best"
                      : fmt::format("values that are never among the best {}", facts.best_count))
         << '\n';
  if (facts.best_count == 0) {
    stream << "fewer than twenty trials succeeded\n";
    return;
  }
  if (facts.absent.empty()) {
    stream << "none\n";
    return;
  }
  Table table;
  table.add_column("parameter", Table::Align::left);
  table.add_column("value", Table::Align::left);
  table.add_column("tried", Table::Align::right);
  table.add_column("expected by chance", Table::Align::right);
  table.add_column("best with it", Table::Align::right);
  for (const StudyFacts::AbsentValue& each : facts.absent) {
    const StudyFacts::Parameter& parameter = facts.parameters[each.parameter];
    table.add_row({parameter.name, parameter.values[each.place].str(), format_count(each.tried),
                   fmt::format("{:.1f}", each.expected), score_text(each.best_score, facts.score_name)});
  }
  table.print(stream, screen);
}

void print_causes(std::ostream& stream, const Screen& screen, const StudyFacts& facts) {
  stream << '\n' << paint(screen, Ink::bold, "failures by cause") << '\n';
  if (facts.causes.empty()) {
    stream << "none\n";
    return;
  }
  Table table;
  table.add_column("trials", Table::Align::right);
  table.add_column("status", Table::Align::left);
  table.add_column("for example", Table::Align::right);
  table.add_column("message", Table::Align::left);
  for (std::size_t i = 0; i < std::min(kCausesShown, facts.causes.size()); ++i) {
    const StudyFacts::Cause& cause = facts.causes[i];
    table.add_row({format_count(cause.count), std::string(status_name(cause.status)),
                   std::to_string(cause.example), cause.message});
  }
  table.print(stream, screen);
  if (facts.causes.size() > kCausesShown) {
    stream << format_things(std::ssize(facts.causes) - std::int64_t{kCausesShown}, "rarer cause")
           << " left out\n";
  }
}

}  // namespace

std::vector<ImportanceRow> importance_rows(const StudyFacts& facts) {
  std::vector<ImportanceRow> rows;
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    rows.push_back({facts.parameters[i].name, facts.shares.factors[i]});
  }
  for (const VarianceShares::Pair& pair : facts.shares.pairs) {
    rows.push_back(
        {facts.parameters[pair.first].name + " × " + facts.parameters[pair.second].name, pair.share});
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &ImportanceRow::share);
  return rows;
}

void print_importance(std::ostream& stream, const Screen& screen, const StudyFacts& facts) {
  print_shares(stream, screen, facts);
  print_absent(stream, screen, facts);
  print_causes(stream, screen, facts);
}

Table importance_table() {
  using enum Table::Align;
  Table table;
  table.add_column("study", right);
  table.add_column("finding", left);
  table.add_column("parameter", left);
  table.add_column("value", left);
  table.add_column("share", right);
  table.add_column("trials", right);
  table.add_column("expected by chance", right, "expected");
  table.add_column("best with it", right, "best");
  table.add_column("status", left);
  table.add_column("for example", right, "example");
  table.add_column("message", left);
  return table;
}

void add_importance(Table& table, std::int64_t study, const StudyFacts& facts) {
  const TableCell none = TableCell::unknown();
  const TableCell id(std::to_string(study), Value(study));
  const auto count = [](std::int64_t number) { return TableCell(format_count(number), Value(number)); };
  const auto add_share = [&](const char* finding, const TableCell& parameter, double share) {
    table.add_row({id, finding, parameter, none, {format_percent(share), Value(share)}, none, none, none,
                   none, none, none});
  };
  if (facts.ranking.size() >= 2) {
    for (const ImportanceRow& row : importance_rows(facts)) add_share("share", row.name, row.share);
    add_share("rest", none, facts.shares.rest);
    if (facts.shares.predicted >= 0) add_share("predicted", none, facts.shares.predicted);
  }
  for (const StudyFacts::AbsentValue& each : facts.absent) {
    const StudyFacts::Parameter& parameter = facts.parameters[each.parameter];
    const Value& value = parameter.values[each.place];
    table.add_row({id,
                   "never among the best",
                   parameter.name,
                   {value.str(), value},
                   none,
                   count(each.tried),
                   {fmt::format("{:.1f}", each.expected), Value(each.expected)},
                   {score_text(each.best_score, facts.score_name), Value(each.best_score)},
                   none,
                   none,
                   none});
  }
  for (const StudyFacts::Cause& cause : facts.causes) {
    table.add_row({id, "failure", none, none, none, count(cause.count), none, none,
                   std::string(status_name(cause.status)),
                   {std::to_string(cause.example), Value(cause.example)},
                   cause.message});
  }
}

Json importance_json(const StudyFacts& facts) {
  Json parameters = Json::object(), pairs = Json::array(), absent = Json::array(), causes = Json::array();
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    parameters[facts.parameters[i].name] = facts.shares.factors[i];
  }
  for (const VarianceShares::Pair& pair : facts.shares.pairs) {
    pairs.push_back({{"parameters", {facts.parameters[pair.first].name, facts.parameters[pair.second].name}},
                     {"share", pair.share}});
  }
  for (const StudyFacts::AbsentValue& each : facts.absent) {
    const StudyFacts::Parameter& parameter = facts.parameters[each.parameter];
    absent.push_back({{"parameter", parameter.name},
                      {"value", json_of(parameter.values[each.place])},
                      {"tried", each.tried},
                      {"expected", each.expected},
                      {"best_score", each.best_score}});
  }
  for (const StudyFacts::Cause& cause : facts.causes) {
    causes.push_back({{"status", status_name(cause.status)},
                      {"message", cause.message},
                      {"trials", cause.count},
                      {"example", cause.example}});
  }
  const double predicted = facts.shares.predicted;
  return {{"score", facts.score_name},
          {"parameters", std::move(parameters)},
          {"pairs", std::move(pairs)},
          {"rest", facts.shares.rest},
          {"predicted", predicted < 0 ? Json() : Json(predicted)},
          {"best", facts.best_count},
          {"never_among_the_best", std::move(absent)},
          {"failures", std::move(causes)}};
}

}  // namespace gktune
