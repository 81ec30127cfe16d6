#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/output/json.h"

namespace gktune {

// The parts that sections of the HTML page are made of.

// The text for HTML, in an element or a quoted attribute. Control characters are written as escapes.
std::string html_escaped(std::string_view text);

// A name or message of any length as one that fits the page.
std::string shortened(const std::string& text, std::size_t columns);
std::string name_of(const std::string& text);

// The number with the five digits that a picture can show; null if it is not finite.
Json rounded(double value);

struct HtmlCell {
  std::string html;
  bool is_number = false;
};
HtmlCell text_cell(const std::string& text);
HtmlCell number_cell(const std::string& text);

class HtmlTable {
 public:
  explicit HtmlTable(const std::vector<HtmlCell>& headers);
  void add(const std::vector<HtmlCell>& cells, std::string_view row_class = "");
  std::string html() const { return html_ + "</tbody></table></div>\n"; }

 private:
  std::string html_;
};

// A part that the reader unfolds.
std::string details(std::string_view summary, const std::string& body);

// A figure whose chart the page's script draws, with a table that says the same.
std::string figure(std::string_view chart, std::string_view caption, std::string_view note,
                   const std::string& table, std::string_view chart_class, bool is_wide);

}  // namespace gktune
