// gktune db portfolio: a few configurations for all problems, and the tree that chooses among them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>
#include <tuple>

#include "cli/commands/db_commands.h"
#include "cli/database.h"
#include "cli/output/json.h"
#include "cli/output/portfolio_text.h"
#include "cli/output/quantity.h"
#include "cli/output/stale.h"
#include "cli/study_flags.h"
#include "db/portfolio/make_portfolio.h"
#include "engine/selection.h"
#include "tuner/core/spelling.h"
#include "tuner/core/seconds_since.h"

namespace gktune {
namespace {

struct PortfolioOptions {
  std::string kernel, device, database;
  double within = 0.02;
  std::optional<std::int64_t> most;
  std::vector<std::string> weights;
  bool is_dry = false;
  TableFormat format;
};

Result<std::int64_t> parse_positive(std::string_view text) {
  auto count = parse_count(text);
  if (count && *count == 0) return Error{"a portfolio has at least one configuration"};
  return count;
}

void declare_portfolio(Flags& flags, PortfolioOptions& options) {
  flags.text("KERNEL", options.kernel, "The kernel").required();
  flags.parsed("--within", options.within, parse_percent, "Allowed loss on each tuned problem", "PERCENT")
      .shown_default("2%");
  flags.parsed("--most", options.most, parse_positive,
               "Choose at most N configurations, even if the loss is higher", "N");
  flags
      .collected("--weight", options.weights,
                 "Weight of a problem in the mean loss: n=1Mi:10; may be repeated")
      .kind("AXIS=VALUE,…:N");
  flags.text("--device", options.device, "Use only this device: its name or a part of the name")
      .kind("DEVICE");
  flags.database(options.database);
  flags.on("--dry-run", options.is_dry, "Do not store the portfolio");
  flags.table_format(options.format);
}

// "n=1Mi:10"
Result<ProblemWeight> parse_weight(const std::string& text, const std::vector<Problem>& known) {
  const std::size_t colon = text.rfind(':');
  const std::string message = "--weight: '" + text + "': write it as n=1Mi:10";
  if (colon == text.npos) return Error{message};
  const auto weight = parse_number(std::string_view(text).substr(colon + 1));
  if (!weight || !(weight->number() > 0) || !std::isfinite(weight->number()))
    return Error{message + "; the weight is a number above 0"};
  auto problem = parse_problem(text.substr(0, colon), known);
  if (!problem) return Error{"--weight: " + problem.error().message};
  ProblemWeight read{*std::move(problem), weight->number()};
  if (std::ranges::none_of(known, [&](const Problem& each) { return read.applies_to(each); }))
    return Error{"--weight: no tuned problem has " + problem_text(read.problem)};
  return read;
}

// Problems that no weight names have the weight 1.
Result<std::vector<ProblemWeight>> parse_weights(const PortfolioOptions& options,
                                                 const std::vector<StudySummary>& studies) {
  std::vector<Problem> known;
  for (const StudySummary& each : studies) known.push_back(each.study.problem);
  std::vector<ProblemWeight> weights;
  for (const std::string& text : options.weights) {
    auto weight = parse_weight(text, known);
    if (!weight) return weight.error();
    weights.push_back(*std::move(weight));
  }
  return weights;
}

void print_portfolio(const Portfolio& portfolio, Context& context) {
  context.out << paint(context.out_screen, Ink::bold, portfolio.kernel)
              << fmt::format(" on {} ({}, objective: {}), {} problems\n", portfolio.device.name,
                             regime_name(portfolio.regime), portfolio.objective, portfolio.problems.size());
  const std::size_t count = portfolio.configs.size();
  context.out << fmt::format("{} configuration{}: {}\n", count, count == 1 ? "" : "s", proof_text(portfolio));
  for (std::size_t i = 0; i < count; ++i)
    context.out << fmt::format("  {}: {}\n", i + 1, portfolio.configs[i].str());
  context.out << '\n';
  for (const std::string& line : tree_lines(portfolio)) context.out << line << '\n';
  context.out << '\n';
  Table table;
  table.add_column("configurations", Table::Align::right);
  table.add_column("mean loss", Table::Align::right);
  table.add_column("worst loss", Table::Align::right);
  table.add_column("not measured", Table::Align::right);
  for (const PortfolioLoss& loss : portfolio.losses) {
    table.add_row({std::to_string(loss.configs), format_percent(loss.mean), format_percent(loss.worst),
                   std::to_string(loss.unmeasured)});
  }
  table.print(context.out, context.out_screen);
  context.out << "the tree's choice: " << loss_text(portfolio.tree_loss) << '\n';
  if (portfolio.held_back) {
    context.out << "on problems held back: " << loss_text(*portfolio.held_back) << '\n'
                << "the nearest problem's winner there: " << loss_text(*portfolio.held_back_nearest) << '\n';
  }
}

// For programs and documents. The column "finding" says of which kind a row is: a configuration, a rule of
// the tree, or a loss with so many configurations.
Table portfolio_table() {
  using enum Table::Align;
  Table table;
  table.add_column("kernel", left);
  table.add_column("device", left);
  table.add_column("regime", left);
  table.add_column("objective", left);
  table.add_column("finding", left);
  table.add_column("number", right);
  table.add_column("condition", left);
  table.add_column("configuration", left);
  table.add_column("mean loss", right, "mean_loss");
  table.add_column("worst loss", right, "worst_loss");
  table.add_column("not measured", right, "not_measured");
  return table;
}

void add_portfolio(Table& table, const Portfolio& portfolio) {
  const TableCell none = TableCell::unknown();
  const auto number = [](std::size_t count) {
    return TableCell(std::to_string(count), Value(static_cast<std::int64_t>(count)));
  };
  const auto add = [&](const std::string& finding, std::vector<TableCell> cells) {
    cells.insert(cells.begin(), {portfolio.kernel, portfolio.device.name,
                                 std::string(regime_name(portfolio.regime)), portfolio.objective, finding});
    table.add_row(std::move(cells));
  };
  const auto add_loss = [&](const std::string& finding, const PortfolioLoss& loss) {
    add(finding, {number(loss.configs), none, none, {format_percent(loss.mean), Value(loss.mean)},
                  {format_percent(loss.worst), Value(loss.worst)}, number(loss.unmeasured)});
  };
  for (std::size_t i = 0; i < portfolio.configs.size(); ++i)
    add("configuration", {number(i + 1), none, portfolio.configs[i].str(), none, none, none});
  for (const PortfolioRule& rule : rules_of(portfolio))
    add("rule",
        {number(rule.config + 1), rule.condition, portfolio.configs[rule.config].str(), none, none, none});
  for (const PortfolioLoss& loss : portfolio.losses) add_loss("loss", loss);
  add_loss("loss of the tree", portfolio.tree_loss);
  if (portfolio.held_back) {
    add_loss("loss of the tree, held out", *portfolio.held_back);
    add_loss("loss of the nearest problem, held out", *portfolio.held_back_nearest);
  }
}

Json loss_json(const PortfolioLoss& loss) {
  return {{"configurations", loss.configs},
          {"mean", loss.mean},
          {"worst", loss.worst},
          {"unmeasured", loss.unmeasured}};
}

Json portfolio_json(const Portfolio& portfolio) {
  Json json = {{"kernel", portfolio.kernel},
               {"device", json_of(portfolio.device)},
               {"regime", regime_name(portfolio.regime)},
               {"objective", portfolio.objective},
               {"within", portfolio.within},
               {"problems", portfolio.problems.size()},
               {"is_smallest", portfolio.is_smallest},
               {"at_least", portfolio.at_least},
               {"configs", Json::array()},
               {"tree", Json::array()},
               {"losses", Json::array()},
               {"tree_loss", loss_json(portfolio.tree_loss)}};
  for (const Config& config : portfolio.configs) json["configs"].push_back(json_of(config));
  for (const PortfolioNode& node : portfolio.tree) {
    json["tree"].push_back(node.axis.empty()
                               ? Json{{"config", node.config}}
                               : Json{{"axis", node.axis},
                                      {node.value.is_number() ? "at_most" : "equal", json_of(node.value)},
                                      {"yes", node.yes},
                                      {"no", node.no}});
  }
  for (const PortfolioLoss& loss : portfolio.losses) json["losses"].push_back(loss_json(loss));
  json["held_back"] = portfolio.held_back ? loss_json(*portfolio.held_back) : Json();
  json["held_back_nearest"] = portfolio.held_back_nearest ? loss_json(*portfolio.held_back_nearest) : Json();
  return json;
}

ExitCode portfolio(const PortfolioOptions& options, Context& context) {
  auto studies =
      selected_studies({options.database, {.kernel = options.kernel, .device = options.device}}, context);
  if (!studies) return studies.error();
  auto weights = parse_weights(options, *studies);
  if (!weights) return fail_usage(context, "gktune db portfolio", weights.error().message);
  const auto path = database_path(options.database, context);
  auto store = open_database(options.database, context);
  if (!store) return ExitCode::failed;
  const auto changes = store->changes();
  if (!changes) return fail(context, ExitCode::failed, changes.error().message);
  auto sources = read_costs(*store, options.kernel, *weights);
  if (!sources) {
    fail(context, ExitCode::failed, sources.error().message);
    hint(context, "gktune run SPACE --problem … tunes more problems");
    return ExitCode::failed;
  }
  Json array = Json::array();
  Table table = portfolio_table();
  bool is_first = true;
  for (const PortfolioSource& source : *sources) {
    const bool is_selected = std::ranges::any_of(
        *studies, [&](const StudySummary& each) { return each.study.device == source.identity.device; });
    if (!is_selected) continue;
    // A stale winner decides the loss of the others.
    std::vector<StudySummary> own = *studies;
    std::erase_if(own, [&](const StudySummary& each) {
      const Portfolio& identity = source.identity;
      return std::tie(each.study.fingerprint, each.study.device, each.study.regime, each.study.objective) !=
             std::tie(identity.fingerprint, identity.device, identity.regime, identity.objective);
    });
    warn_of_stale(own, *changes, context);
    Portfolio made = make_portfolio(
        source.table,
        {.within = options.within, .most_configs = static_cast<std::size_t>(options.most.value_or(0))});
    made.kernel = source.identity.kernel;
    made.fingerprint = source.identity.fingerprint;
    made.device = source.identity.device;
    made.regime = source.identity.regime;
    made.objective = source.identity.objective;
    made.made_unix_ms = now_unix_ms();
    if (!options.is_dry) {
      auto writer = Database::open(path, Database::Access::write);
      if (!writer) return fail(context, ExitCode::failed, writer.error().message);
      if (auto stored = (*writer)->store_portfolio(made); !stored)
        return fail(context, ExitCode::failed, stored.error().message);
    }
    if (options.format.json) {
      array.push_back(portfolio_json(made));
    } else if (options.format.is_text()) {
      if (!is_first) context.out << '\n';
      print_portfolio(made, context);
    } else {
      add_portfolio(table, made);
    }
    is_first = false;
  }
  if (options.format.json) {
    print(context.out, array);
  } else if (is_first) {
    return fail(context, ExitCode::failed, "the kernel has no two tuned problems on this device");
  } else if (!options.format.is_text()) {
    table.print(context.out, context.out_screen, options.format);
  }
  return ExitCode::done;
}

}  // namespace

Command db_portfolio_command() {
  return make_command<PortfolioOptions>(
      "portfolio", "Find a few configurations that serve all problems of a kernel",
      "gktune db portfolio reduce --within 2%", declare_portfolio, portfolio);
}

}  // namespace gktune
