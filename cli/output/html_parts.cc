#include "cli/output/html_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "cli/output/screen.h"

namespace gktune {
namespace {

constexpr std::size_t kLongestName = 120;

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
  if (std::isfinite(result) && std::floor(result) == result && std::abs(result) < 1e15) {
    return static_cast<std::int64_t>(result);
  }
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
      "<div class=\"controls\"></div><div class=\"{}\"></div>\n{}</figure>\n",
      chart, is_wide ? " class=\"wide\"" : "", caption, note, chart_class,
      details("As a table", "<div class=\"chart-table scroll\">" + table + "</div>"));
}

}  // namespace gktune
