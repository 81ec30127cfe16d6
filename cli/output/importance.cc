#include "cli/output/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/output/pictures.h"
#include "cli/output/units.h"
#include "cli/output/table.h"

namespace gktune {
namespace {

constexpr std::size_t kRowsShown = 15;
constexpr std::size_t kCausesShown = 10;
constexpr double kNegligible = 0.001;

Cell expected_cell(const StudyFacts::AbsentValue& value) {
  return {fmt::format("{:.1f}", value.expected), Json(value.expected)};
}

Cell best_cell(const StudyFacts& facts, const StudyFacts::AbsentValue& value) {
  return {score_text(value.best_score, facts.score_name), Json(value.best_score)};
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
  absent_table(facts).print(stream, screen);
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

Table absent_table(const StudyFacts& facts) {
  Table table;
  for (const StudyFacts::AbsentValue& each : facts.absent) {
    const StudyFacts::Parameter& parameter = facts.parameters[each.parameter];
    table.add({{"parameter", parameter.name},
               {"value", parameter.values[each.place].str()},
               {"tried", each.tried, Unit::count},
               {"expected", expected_cell(each), Unit::none, "expected by chance"},
               {"best", best_cell(facts, each), Unit::none, "best with it"}});
  }
  return table;
}

Table cause_table(const StudyFacts& facts, std::size_t most) {
  Table table;
  for (std::size_t i = 0; i < std::min(most, facts.causes.size()); ++i) {
    const StudyFacts::Cause& cause = facts.causes[i];
    table.add({{"trials", cause.count, Unit::count},
               {"status", cause.status},
               {"example", cause.example, Unit::none, "for example"},
               {"message", cause.message}});
  }
  return table;
}

Table importance_table() {
  return Table({{"study"},
                {"finding"},
                {"parameter"},
                {"value"},
                {"share", {}, Unit::share},
                {"trials", {}, Unit::count},
                {"expected", {}, Unit::none, "expected by chance"},
                {"best", {}, Unit::none, "best with it"},
                {"status"},
                {"example", {}, Unit::none, "for example"},
                {"message"}});
}

void add_importance(Table& table, std::int64_t study, const StudyFacts& facts) {
  const auto add_share = [&](const char* finding, const Cell& parameter, double share) {
    table.add({{"study", study}, {"finding", finding}, {"parameter", parameter}, {"share", share}});
  };
  if (facts.ranking.size() >= 2) {
    for (const ImportanceRow& row : importance_rows(facts)) add_share("share", row.name, row.share);
    add_share("rest", {}, facts.shares.rest);
    if (facts.shares.predicted >= 0) add_share("predicted", {}, facts.shares.predicted);
  }
  for (const StudyFacts::AbsentValue& each : facts.absent) {
    const StudyFacts::Parameter& parameter = facts.parameters[each.parameter];
    table.add({{"study", study},
               {"finding", "never among the best"},
               {"parameter", parameter.name},
               {"value", parameter.values[each.place]},
               {"trials", each.tried},
               {"expected", expected_cell(each)},
               {"best", best_cell(facts, each)}});
  }
  for (const StudyFacts::Cause& cause : facts.causes) {
    table.add({{"study", study},
               {"finding", "failure"},
               {"trials", cause.count},
               {"status", cause.status},
               {"example", cause.example},
               {"message", cause.message}});
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
