#include "cli/output/table.h"

#include <algorithm>
#include <ostream>
#include <string_view>

#include "cli/output/json.h"
#include "cli/output/printable.h"
#include "cli/output/quantity.h"

namespace gktune {

TableCell date_cell(std::int64_t unix_ms) {
  return unix_ms > 0 ? TableCell(format_date(unix_ms), Value(unix_ms)) : TableCell::unknown();
}

namespace {

constexpr std::size_t kGap = 2;     // between columns
constexpr std::size_t kIndent = 2;  // of a paragraph's second line and those after it

// Prints words one after the other, and begins a new line where the next one does not fit.
class Paragraph {
 public:
  Paragraph(std::ostream& stream, std::size_t columns) : stream_(stream), columns_(columns) {}

  // Makes room for this many columns after a gap.
  void reserve(std::size_t gap, std::size_t width) {
    if (taken_ == 0) return;
    if (taken_ + gap + width <= columns_) {
      put({Ink::none, std::string(gap, ' ')});
    } else {
      stream_ << '\n';
      taken_ = 0;
      put({Ink::none, std::string(kIndent, ' ')});
    }
  }

  void put(const Painted& text) {
    stream_ << text;
    taken_ += columns_of(text.text);
  }

 private:
  std::ostream& stream_;
  std::size_t columns_;
  std::size_t taken_ = 0;  // of the current line
};

}  // namespace

void Table::add_column(std::string header, Align align, std::string key) {
  if (key.empty()) key = header;
  header = printable(header, Layout::escaped);
  const std::size_t width = columns_of(header);
  columns_.push_back({std::move(header), align, width, std::move(key)});
}

void Table::add_row(std::vector<TableCell> cells) {
  Row& row = rows_.emplace_back();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    row.cells.push_back(printable(cells[i].text, Layout::escaped));
    row.values.push_back(std::move(cells[i].value));
    columns_[i].width = std::max(columns_[i].width, columns_of(row.cells[i]));
  }
}

void Table::emphasise() { rows_.back().is_bold = true; }

std::size_t Table::width() const {
  std::size_t sum = 0;
  for (const Column& column : columns_) sum += column.width + (sum > 0 ? kGap : 0);
  return sum;
}

std::string Table::line(const std::vector<std::string>& cells) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text.append(kGap, ' ');
    const std::string padding(columns_[i].width - columns_of(cells[i]), ' ');
    text += columns_[i].align == Align::right ? padding + cells[i] : cells[i] + padding;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

void Table::print(std::ostream& stream, const Screen& screen) const {
  if (!screen.is_terminal || rows_.empty() || width() <= screen.columns) return print_columns(stream, screen);
  for (const Row& row : rows_) print_paragraph(row, stream, screen);
}

void Table::print(std::ostream& stream, const Screen& screen, const TableFormat& format) const {
  if (format.json) return print_json(stream);
  if (format.csv) return print_csv(stream);
  if (format.markdown) return print_markdown(stream);
  print(stream, screen);
}

void Table::print_json(std::ostream& stream) const {
  Json array = Json::array();
  for (const Row& row : rows_) {
    Json& object = array.emplace_back(Json::object());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      object[columns_[i].key] = row.values[i] ? json_of(*row.values[i]) : Json();
    }
  }
  gktune::print(stream, array);
}

void Table::print_csv(std::ostream& stream) const {
  const auto quoted = [](const std::string& text) {
    if (text.find_first_of(",\"\r\n") == text.npos) return text;
    std::string all = "\"";
    for (const char c : text) all += c == '"' ? std::string("\"\"") : std::string(1, c);
    return all + '"';
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) stream << (i > 0 ? "," : "") << quoted(columns_[i].key);
  stream << '\n';
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      stream << (i > 0 ? "," : "") << (row.values[i] ? quoted(row.values[i]->str()) : "");
    }
    stream << '\n';
  }
}

void Table::print_markdown(std::ostream& stream) const {
  const auto escaped = [](const std::string& text) {
    std::string all;
    for (const char c : text) {
      if (std::string_view("\\|`*_<>[]").find(c) != std::string_view::npos) all += '\\';
      all += c;
    }
    return all;
  };
  const auto line = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) stream << "| " << escaped(cell) << ' ';
    stream << "|\n";
  };
  std::vector<std::string> headers;
  for (const Column& column : columns_) headers.push_back(column.header);
  line(headers);
  for (const Column& column : columns_) stream << (column.align == Align::right ? "|--:" : "|---");
  stream << "|\n";
  for (const Row& row : rows_) line(row.cells);
}

void Table::print_columns(std::ostream& stream, const Screen& screen) const {
  std::vector<std::string> headers;
  for (const Column& column : columns_) headers.push_back(column.header);
  stream << paint(screen, Ink::dim, line(headers)) << '\n';
  for (const Row& row : rows_) {
    stream << paint(screen, row.is_bold ? Ink::bold : Ink::none, line(row.cells)) << '\n';
  }
}

void Table::print_paragraph(const Row& row, std::ostream& stream, const Screen& screen) const {
  Paragraph paragraph(stream, screen.columns);
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    std::string header = columns_[i].header + ": ";
    std::string_view rest = row.cells[i];
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      paragraph.reserve(header.empty() ? 1 : kGap, columns_of(header) + columns_of(word));
      paragraph.put(paint(screen, Ink::dim, header));
      paragraph.put(paint(screen, row.is_bold ? Ink::bold : Ink::none, word));
      header.clear();
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
  }
  stream << '\n';
}

}  // namespace gktune
