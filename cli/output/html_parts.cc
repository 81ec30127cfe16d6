#include "cli/output/html_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "cli/output/printable.h"
#include "cli/output/screen.h"

namespace gktune {
namespace {

constexpr std::size_t kLongestName = 120;

std::string row_html(std::string_view tag, const std::vector<HtmlCell>& cells,
                     std::string_view row_class = "") {
  std::string html = row_class.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", row_class);
  const std::string_view scope = tag == "th" ? " scope=\"col\"" : "";
  for (const HtmlCell& cell : cells) {
    html +=
        fmt::format("<{0}{1}{2}>{3}</{0}>", tag, scope, cell.is_number ? " class=\"number\"" : "", cell.html);
  }
  return html + "</tr>\n";
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string html;
  for (const char c : printable(text, Layout::escaped)) {
    switch (c) {
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '&':
        html += "&amp;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

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
  if (std::isfinite(result) && std::floor(result) == result && std::abs(result) < 1e15) {
    return static_cast<std::int64_t>(result);
  }
  // The shortest decimal number, not the one nearest to a product.
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

HtmlCell text_cell(const std::string& text) { return {html_escaped(text)}; }
HtmlCell number_cell(const std::string& text) { return {html_escaped(text), true}; }

HtmlTable::HtmlTable(const std::vector<HtmlCell>& headers)
    : html_("<div class=\"scroll\"><table><thead>" + row_html("th", headers) + "</thead><tbody>\n") {}

void HtmlTable::add(const std::vector<HtmlCell>& cells, std::string_view row_class) {
  html_ += row_html("td", cells, row_class);
}

std::string details(std::string_view summary, const std::string& body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", summary, body);
}

std::string figure(std::string_view chart, std::string_view caption, std::string_view note,
                   const std::string& table, std::string_view chart_class, bool is_wide) {
  return fmt::format(
      "<figure data-chart=\"{}\"{}><figcaption>{} <span class=\"faint\">{}</span></figcaption>\n"
      "<div class=\"controls\"></div><div class=\"{}\"></div>\n{}</figure>\n",
      chart, is_wide ? " class=\"wide\"" : "", caption, note, chart_class,
      details("As a table", "<div class=\"chart-table scroll\">" + table + "</div>"));
}

}  // namespace gktune
