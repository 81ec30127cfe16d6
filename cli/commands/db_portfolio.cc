// gktune db portfolio: a few configurations for all problems, and the tree that chooses among them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/command.h"
#include "cli/output/stale.h"
#include "cli/output/table.h"
#include "cli/output/units.h"
#include "engine/portfolio/make_portfolio.h"
#include "engine/selection.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

struct PortfolioOptions {
  std::string kernel, device, database;
  double within = 0.02;
  std::optional<std::int64_t> most;
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
  flags.text("--device", options.device, "Use only this device: its name or a part of the name", "DEVICE");
  flags.database(options.database);
  flags.on("--dry-run", options.is_dry, "Do not store the portfolio");
  flags.table_format(options.format);
}

// "n <= 65536", or "element = float": the condition of a node that is no leaf.
std::string condition_text(const PortfolioNode& node) {
  return fmt::format("{} {} {}", node.axis, node.value.is_number() ? "<=" : "=", format_value(node.value));
}

// A leaf with the conditions on the way to it: "n <= 65536 and element = float". Those of a tree without
// branches are empty.
struct PortfolioRule {
  std::string condition;
  std::size_t config = 0;  // its place
};

void add_rules(const Portfolio& portfolio, std::size_t at, const std::string& before,
               std::vector<PortfolioRule>& rules) {
  const PortfolioNode& node = portfolio.tree[at];
  if (node.axis.empty()) {
    rules.push_back({before, node.config});
    return;
  }
  const std::string so_far = before.empty() ? "" : before + " and ";
  const char* otherwise = node.value.is_number() ? ">" : "!=";
  add_rules(portfolio, node.yes, so_far + condition_text(node), rules);
  add_rules(portfolio, node.no,
            so_far + fmt::format("{} {} {}", node.axis, otherwise, format_value(node.value)), rules);
}

// The tree as rules, one for each leaf.
std::vector<PortfolioRule> rules_of(const Portfolio& portfolio) {
  std::vector<PortfolioRule> rules;
  if (!portfolio.tree.empty()) add_rules(portfolio, 0, "", rules);
  return rules;
}

// The fields of a loss.
Record loss_record(const PortfolioLoss& loss) {
  return {{"configurations", loss.configs},
          {"mean", loss.mean, Unit::share, "mean loss"},
          {"worst", loss.worst, Unit::share, "worst loss"},
          {"unmeasured", loss.unmeasured, Unit::count, "not measured"}};
}

// "1.2 % on average, 4.0 % at worst"
std::string loss_text(const PortfolioLoss& loss) {
  std::string text =
      fmt::format("{} on average, {} at worst", format_percent(loss.mean), format_percent(loss.worst));
  if (loss.unmeasured > 0) text += fmt::format("; {} problems not measured with it", loss.unmeasured);
  return text;
}

void print_portfolio(const Portfolio& portfolio, Context& context) {
  context.out << paint(context.out_screen, Ink::bold, portfolio.kernel)
              << fmt::format(" on {} ({}, objective: {}), {} problems\n", portfolio.device.name,
                             regime_name(portfolio.regime), portfolio.objective, portfolio.problems.size());
  const std::size_t count = portfolio.configs.size();
  context.out << fmt::format(
      "{} configuration{}{}\n", count, count == 1 ? "" : "s",
      portfolio.is_limited
          ? fmt::format(", fewer than stay within {}", format_percent(portfolio.within))
          : fmt::format(" within {} of the best on every problem", format_percent(portfolio.within)));
  for (std::size_t i = 0; i < count; ++i)
    context.out << fmt::format("  {}: {}\n", i + 1, portfolio.configs[i].str());
  context.out << '\n';
  for (const PortfolioRule& rule : rules_of(portfolio))
    context.out << fmt::format("{}configuration {}\n",
                               rule.condition.empty() ? "" : "if " + rule.condition + ": ", rule.config + 1);
  context.out << '\n';
  Table table;
  for (const PortfolioLoss& loss : portfolio.losses) table.add(loss_record(loss));
  table.print(context.out, context.out_screen);
  context.out << "the tree's choice: " << loss_text(portfolio.tree_loss) << '\n';
  if (portfolio.held_back)
    context.out << "on problems held back: " << loss_text(*portfolio.held_back) << '\n';
}

// For programs and documents. The column "finding" says of which kind a row is: a configuration, a rule of
// the tree, or a loss with this number of configurations.
void add_portfolio(Table& table, const Portfolio& portfolio) {
  const auto add = [&](const char* finding, std::size_t number, const std::string& condition,
                       const Config* config, const PortfolioLoss* loss) {
    table.add({{"kernel", portfolio.kernel},
               {"device", portfolio.device.name},
               {"regime", portfolio.regime},
               {"objective", portfolio.objective},
               {"finding", finding},
               {"number", number},
               {"condition", condition.empty() ? Cell() : Cell(condition)},
               {"configuration", config != nullptr ? Cell(config->str()) : Cell()},
               {"mean_loss", loss != nullptr ? Cell(loss->mean) : Cell(), Unit::share},
               {"worst_loss", loss != nullptr ? Cell(loss->worst) : Cell(), Unit::share},
               {"not_measured", loss != nullptr ? Cell(loss->unmeasured) : Cell(), Unit::count}});
  };
  for (std::size_t i = 0; i < portfolio.configs.size(); ++i)
    add("configuration", i + 1, "", &portfolio.configs[i], nullptr);
  for (const PortfolioRule& rule : rules_of(portfolio))
    add("rule", rule.config + 1, rule.condition, &portfolio.configs[rule.config], nullptr);
  const auto add_loss = [&](const char* finding, const PortfolioLoss& loss) {
    add(finding, loss.configs, "", nullptr, &loss);
  };
  for (const PortfolioLoss& loss : portfolio.losses) add_loss("loss", loss);
  add_loss("loss of the tree", portfolio.tree_loss);
  if (portfolio.held_back) add_loss("loss of the tree, held out", *portfolio.held_back);
}

Json portfolio_json(const Portfolio& portfolio) {
  Json json = {{"kernel", portfolio.kernel},
               {"device", json_of(portfolio.device)},
               {"regime", regime_name(portfolio.regime)},
               {"objective", portfolio.objective},
               {"within", portfolio.within}};
  json.update(Json::parse(body_text(portfolio)));
  return json;
}

ExitCode portfolio(const PortfolioOptions& options, Context& context) {
  const auto studies =
      selected_studies({options.database, {.kernel = options.kernel, .device = options.device}}, {}, context);
  const auto path = database_path(options.database, context);
  auto store = open_database(options.database, context);
  auto tables = read_costs(*store, options.kernel);
  if (!tables)
    return fail(context, ExitCode::failed, tables.error().message,
                "gktune run SPACE --problem … tunes more problems");
  Json array = Json::array();
  Table table;
  for (const CostTable& costs : *tables) {
    const bool is_selected = std::ranges::any_of(
        studies, [&](const StudySummary& each) { return each.study.device == costs.study.device; });
    if (!is_selected) continue;
    Portfolio made = make_portfolio(
        costs, {.within = options.within, .most_configs = static_cast<std::size_t>(options.most.value_or(0))});
    made.made_unix_ms = now_unix_ms();
    // A stale winner decides the loss of the others.
    std::vector<StudySummary> own = studies;
    std::erase_if(own, [&](const StudySummary& each) { return !made.is_of(each.study); });
    warn_of_stale(own, context);
    if (!options.is_dry) {
      auto writer = value_or_end(Database::open(path, Database::Access::write), context);
      value_or_end(writer->store_portfolio(made), context);
    }
    if (options.format.is_text()) {
      if (!table.empty()) context.out << '\n';
      print_portfolio(made, context);
    }
    add_portfolio(table, made);
    array.push_back(portfolio_json(made));
  }
  if (table.empty() && !options.format.json)
    return fail(context, ExitCode::failed, "the kernel has no two tuned problems on this device");
  if (!options.format.is_text()) table.print(context, options.format, array);
  return ExitCode::done;
}

}  // namespace

Command db_portfolio_command() {
  return make_command<PortfolioOptions>(
      "portfolio", "Find a few configurations that serve all problems of a kernel",
      "gktune db portfolio reduce --within 2%", declare_portfolio, portfolio);
}

}  // namespace gktune
