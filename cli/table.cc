#include "cli/table.h"

#include <algorithm>
#include <ostream>

namespace gktune {

void Table::add_column(std::string header, Align align) { columns_.push_back({std::move(header), align}); }

void Table::add_row(std::vector<std::string> cells) { rows_.push_back({std::move(cells)}); }

void Table::emphasise() { rows_.back().is_bold = true; }

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text += "  ";
    std::string padding(widths[i] - columns_of(cells[i]), ' ');
    text += columns_[i].align == Align::right ? padding + cells[i] : cells[i] + padding;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

void Table::print(std::ostream& stream, const Screen& screen) const {
  std::vector<std::string> headers;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    headers.push_back(column.header);
    widths.push_back(columns_of(column.header));
  }
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row.cells[i]));
    }
  }

  auto fitted = [&](const std::vector<std::string>& cells) {
    std::string text = line(cells, widths);
    return screen.is_terminal ? cut(text, screen.columns) : text;
  };
  stream << paint(screen, Ink::dim, fitted(headers)) << '\n';
  for (const Row& row : rows_) {
    std::string text = fitted(row.cells);
    stream << (row.is_bold ? paint(screen, Ink::bold, text) : text) << '\n';
  }
}

}  // namespace gktune
