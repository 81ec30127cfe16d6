#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "cli/output/html_report.h"
#include "cli/output/portfolio_text.h"
#include "cli/output/screen.h"
#include "cli/output/units.h"

namespace gktune {
namespace {

constexpr std::size_t kLongestName = 120;

constexpr std::size_t kMostPortfolios = 12, kMostConfigs = 40, kMostLines = 200, kMostNodes = 200;

std::span<const Portfolio> shown(const std::vector<Portfolio>& portfolios) {
  return std::span(portfolios).first(std::min(kMostPortfolios, portfolios.size()));
}

std::string anchor_of(std::size_t place) { return fmt::format("portfolio-{}", place + 1); }

std::string loss_table(const Portfolio& portfolio) {
  Table table;
  const auto add = [&](const char* choice, const PortfolioLoss& loss) {
    Record record = loss_record(loss);
    record.insert(record.begin(), {"choice", choice});
    table.add(std::move(record));
  };
  for (const PortfolioLoss& loss : portfolio.losses) add("the best of them on each problem", loss);
  add("the tree", portfolio.tree_loss);
  if (portfolio.held_back) add("the tree, on held-out problems", *portfolio.held_back);
  if (portfolio.held_back_nearest) {
    PortfolioLoss nearest = *portfolio.held_back_nearest;
    nearest.configs = portfolio.problems.size();
    add("the nearest problem's winner, on held-out problems", nearest);
  }
  return table.html();
}

std::string tree_text(const Portfolio& portfolio) {
  const std::vector<std::string> lines = tree_lines(portfolio);
  std::string html = "<pre>";
  for (std::size_t i = 0; i < std::min(kMostLines, lines.size()); ++i)
    html += html_escaped(shortened(lines[i], 160)) + '\n';
  html += "</pre>\n";
  if (lines.size() > kMostLines)
    html += fmt::format("<p class=\"faint\">{} lines follow.</p>\n", lines.size() - kMostLines);
  return html;
}

std::string configs_card(const Portfolio& portfolio) {
  Table table;
  for (std::size_t i = 0; i < std::min(kMostConfigs, portfolio.configs.size()); ++i)
    table.add({{"configuration", i + 1}, {"parameters", shortened(portfolio.configs[i].str(), 400)}});
  std::string html = "<div class=\"card wide\"><h4>Configurations</h4>\n" + table.html();
  if (portfolio.configs.size() > kMostConfigs)
    html += fmt::format("<p class=\"faint\">{} more are left out.</p>\n",
                        portfolio.configs.size() - kMostConfigs);
  return html + "</div>\n";
}

std::string title_of(const Portfolio& portfolio) {
  return name_of(portfolio.kernel) + " on " + name_of(portfolio.device.name);
}

std::string article_of(const Portfolio& portfolio, std::size_t place) {
  const std::size_t count = portfolio.configs.size();
  std::string html =
      fmt::format("<article id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h3 id=\"{0}-title\">{1}</h3>\n",
                  anchor_of(place), html_escaped(title_of(portfolio)));
  html += fmt::format("<p class=\"faint\">{} problems; caches {}; objective: {}; made {} UTC</p>\n",
                      format_count(std::ssize(portfolio.problems)), regime_name(portfolio.regime),
                      html_escaped(name_of(portfolio.objective)), format_date(portfolio.made_unix_ms));
  for (const std::string& change : portfolio.stale)
    html += fmt::format("<p class=\"stale\">Stale: {}.</p>\n", html_escaped(change));
  html += fmt::format("<p>{} configuration{}: {}.</p>\n<div class=\"grid\">\n", count, count == 1 ? "" : "s",
                      proof_text(portfolio));
  html += figure("portfolio-loss", "Loss", "over the best of each problem", loss_table(portfolio), "chart",
                 false);
  html += figure("portfolio-tree", "Tree", "that chooses a configuration for a problem", tree_text(portfolio),
                 "chart", false);
  return html + configs_card(portfolio) + "</div></article>\n";
}

Json loss_for_script(const PortfolioLoss& loss) {
  return {loss.configs, rounded(loss.mean), rounded(loss.worst)};
}

// A node as the chart library reads it.
Json node_json(const Portfolio& portfolio, std::size_t at, const std::string& branch) {
  const PortfolioNode& node = portfolio.tree[at];
  if (node.axis.empty())
    return {{"name", fmt::format("configuration {}", node.config + 1)}, {"branch", branch}};
  Json children = {node_json(portfolio, node.yes, "yes"), node_json(portfolio, node.no, "no")};
  return {{"name", name_of(condition_text(node))}, {"branch", branch}, {"children", std::move(children)}};
}

}  // namespace

std::string shortened(const std::string& text, std::size_t columns) {
  return cut(printable(text, Layout::escaped), columns);
}
std::string name_of(const std::string& text) { return shortened(text, kLongestName); }

Json rounded(double value) {
  if (!std::isfinite(value)) return {};
  if (value == 0) return 0;
  const double scale = std::pow(10, 4 - std::floor(std::log10(std::abs(value))));
  if (!std::isfinite(scale) || scale == 0) return value;
  const double result = std::round(value * scale) / scale;
  if (std::isfinite(result) && std::floor(result) == result && std::abs(result) < 1e15)
    return static_cast<std::int64_t>(result);
  // The shortest decimal number, not the one nearest to a product.
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

std::string details(std::string_view summary, const std::string& body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", summary, body);
}

std::string figure(std::string_view chart, std::string_view caption, std::string_view note,
                   const std::string& table, std::string_view chart_class, bool is_wide) {
  return fmt::format(
      "<figure data-chart=\"{}\"{}><figcaption>{} <span class=\"faint\">{}</span></figcaption>\n"
      "<div class=\"controls\"></div><div class=\"scroll\"><div class=\"{}\"></div></div>\n{}</figure>\n",
      chart, is_wide ? " class=\"wide\"" : "", caption, note, chart_class,
      details("As a table", "<div class=\"chart-table\">" + table + "</div>"));
}

std::string portfolio_section(const std::vector<Portfolio>& portfolios) {
  if (portfolios.empty()) return "";
  std::string html =
      "<section aria-labelledby=\"portfolios-title\"><h2 id=\"portfolios-title\">Portfolios</h2>\n";
  html += "<p class=\"faint\">A few configurations that serve all tuned problems of a kernel.";
  if (portfolios.size() > kMostPortfolios)
    html += fmt::format(" {} of {}, those made last; `gktune report KERNEL` selects others.", kMostPortfolios,
                        portfolios.size());
  html += "</p>\n";
  std::size_t place = 0;
  for (const Portfolio& each : shown(portfolios)) html += article_of(each, place++);
  return html + "</section>\n";
}

Json portfolios_for_script(const std::vector<Portfolio>& portfolios) {
  Json all = Json::array();
  for (const Portfolio& each : shown(portfolios)) {
    Json losses = Json::array();
    for (const PortfolioLoss& loss : each.losses) losses.push_back(loss_for_script(loss));
    all.push_back({{"anchor", anchor_of(all.size())},
                   {"title", title_of(each)},
                   {"losses", std::move(losses)},
                   {"tree_loss", loss_for_script(each.tree_loss)},
                   {"held_back", each.held_back ? loss_for_script(*each.held_back) : Json()},
                   {"tree", each.tree.size() <= kMostNodes ? node_json(each, 0, "") : Json()}});
  }
  return all;
}

}  // namespace gktune
