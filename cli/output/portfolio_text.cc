#include "cli/output/portfolio_text.h"

#include <fmt/format.h>

#include "cli/output/units.h"

namespace gktune {
namespace {

void add_lines(const Portfolio& portfolio, std::size_t at, std::size_t depth,
               std::vector<std::string>& lines) {
  const PortfolioNode& node = portfolio.tree[at];
  const std::string indent(2 * depth, ' ');
  if (node.axis.empty()) {
    lines.push_back(indent + fmt::format("configuration {}", node.config + 1));
    return;
  }
  lines.push_back(indent + "if " + condition_text(node) + ':');
  add_lines(portfolio, node.yes, depth + 1, lines);
  lines.push_back(indent + "else:");
  add_lines(portfolio, node.no, depth + 1, lines);
}

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

}  // namespace

std::string condition_text(const PortfolioNode& node) {
  return fmt::format("{} {} {}", node.axis, node.value.is_number() ? "<=" : "=", format_value(node.value));
}

std::vector<std::string> tree_lines(const Portfolio& portfolio) {
  std::vector<std::string> lines;
  add_lines(portfolio, 0, 0, lines);
  return lines;
}

std::vector<PortfolioRule> rules_of(const Portfolio& portfolio) {
  std::vector<PortfolioRule> rules;
  if (!portfolio.tree.empty()) add_rules(portfolio, 0, "", rules);
  return rules;
}

std::string proof_text(const Portfolio& portfolio) {
  const std::string within = format_percent(portfolio.within);
  if (portfolio.is_smallest)
    return fmt::format("the smallest number within {} of the best on every problem", within);
  if (portfolio.at_least > portfolio.configs.size())
    return fmt::format("fewer than the {} that {} would take", portfolio.at_least, within);
  return fmt::format("within {}; at least {} are needed, and the search for fewer was cut short", within,
                     portfolio.at_least);
}

Record loss_record(const PortfolioLoss& loss) {
  return {{"configurations", loss.configs},
          {"mean", loss.mean, Unit::share, "mean loss"},
          {"worst", loss.worst, Unit::share, "worst loss"},
          {"unmeasured", loss.unmeasured, Unit::count, "not measured"}};
}

std::string loss_text(const PortfolioLoss& loss) {
  std::string text =
      fmt::format("{} on average, {} at worst", format_percent(loss.mean), format_percent(loss.worst));
  if (loss.unmeasured > 0) text += fmt::format("; {} problems not measured with it", loss.unmeasured);
  return text;
}

}  // namespace gktune
