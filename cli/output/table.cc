#include "cli/output/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/screen.h"
#include "engine/selection.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

constexpr std::size_t kGap = 2;     // between columns
constexpr std::size_t kIndent = 2;  // of a paragraph's second line and those after it
constexpr std::size_t kMostHtmlColumns = 300;

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

void print_paragraph(const std::vector<std::string>& headers, const std::vector<std::string>& cells, Ink ink,
                     std::ostream& stream, const Screen& screen) {
  Paragraph paragraph(stream, screen.columns);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string header = headers[i] + ": ";
    std::string_view rest = cells[i];
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      paragraph.reserve(header.empty() ? 1 : kGap, columns_of(header) + columns_of(word));
      paragraph.put(paint(screen, Ink::dim, header));
      paragraph.put(paint(screen, ink, word));
      header.clear();
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
  }
  stream << '\n';
}

std::string text_of(const Json& value, Unit unit) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_array()) return joined(value, ", ", [&](const Json& item) { return text_of(item, unit); });
  if (value.is_number_integer() && unit == Unit::none) return value.dump();
  return value.is_number() ? format_in(unit, value.get<double>()) : value.dump();
}

std::string csv_of(const Cell& cell, Unit unit) {
  const Json& value = cell.value;
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_structured()) return cell.text ? *cell.text : text_of(value, unit);
  return value.is_number_float() ? Value(value.get<double>()).str() : value.dump();
}

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string all = "\"";
  for (const char c : text) all += c == '"' ? std::string("\"\"") : std::string(1, c);
  return all + '"';
}

std::string markdown_escaped(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if (std::string_view("\\|`*_<>[]").find(c) != std::string_view::npos) all += '\\';
    all += c;
  }
  return all;
}

std::string header_of(const Field& field) {
  std::string header = field.header.empty() ? field.key : field.header;
  if (field.header.empty()) std::ranges::replace(header, '_', ' ');
  return printable(header, Layout::escaped);
}

}  // namespace

std::string text_of(const Cell& cell, Unit unit) {
  return printable(cell.text ? *cell.text : text_of(cell.value, unit), Layout::escaped);
}

Cell problem_cell(const Problem& problem) { return {problem_text(problem), json_of(problem)}; }
Cell device_cell(const DeviceIdentity& device) { return {device.name, json_of(device)}; }

Json json_of(const Record& record) {
  Json object = Json::object();
  for (const Field& field : record) {
    if ((field.forms & kJson) != 0) object[field.key] = field.cell.value;
  }
  return object;
}

bool Table::Column::is_right() const {
  if (unit == Unit::none) return has_others && !has_words;
  return unit != Unit::unix_ms && unit != Unit::bar;
}

// The column of each field.
std::vector<std::size_t> Table::place(const Record& record) {
  std::vector<std::size_t> places;
  std::size_t next = 0;
  for (const Field& field : record) {
    while (next < columns_.size() && columns_[next].key != field.key) ++next;
    if (next == columns_.size()) columns_.push_back({field.key, header_of(field), field.unit, field.forms});
    places.push_back(next++);
  }
  return places;
}

void Table::add(Record record) {
  const std::vector<std::size_t> places = place(record);
  Row& row = rows_.emplace_back();
  row.cells.resize(columns_.size());
  for (std::size_t i = 0; i < record.size(); ++i) {
    Column& column = columns_[places[i]];
    const Json& value = record[i].cell.value;
    (value.is_number() || value.is_null() ? column.has_others : column.has_words) = true;
    row.cells[places[i]] = std::move(record[i].cell);
  }
}

Table::Sheet Table::sheet(Forms form) const {
  static const Cell kUnknown;
  Sheet sheet;
  sheet.rows.resize(rows_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    if ((column.forms & form) == 0) continue;
    sheet.columns.push_back(&column);
    sheet.headers.push_back(column.header);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const std::vector<Cell>& cells = rows_[row].cells;
      sheet.rows[row].push_back(text_of(i < cells.size() ? cells[i] : kUnknown, column.unit));
    }
  }
  return sheet;
}

void Table::print(std::ostream& stream, const Screen& screen) const {
  const Sheet sheet = this->sheet(kText);
  std::vector<std::size_t> widths;
  std::size_t width = 0;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    widths.push_back(columns_of(sheet.headers[i]));
    for (const auto& row : sheet.rows) widths[i] = std::max(widths[i], columns_of(row[i]));
    width += widths[i] + (i > 0 ? kGap : 0);
  }
  if (screen.is_terminal && !rows_.empty() && width > screen.columns) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      print_paragraph(sheet.headers, sheet.rows[i], rows_[i].is_bold ? Ink::bold : Ink::none, stream, screen);
    return;
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text.append(kGap, ' ');
      const std::string padding(widths[i] - columns_of(cells[i]), ' ');
      text += sheet.columns[i]->is_right() ? padding + cells[i] : cells[i] + padding;
    }
    return text.erase(text.find_last_not_of(' ') + 1);
  };
  stream << paint(screen, Ink::dim, line(sheet.headers)) << '\n';
  for (std::size_t i = 0; i < rows_.size(); ++i)
    stream << paint(screen, rows_[i].is_bold ? Ink::bold : Ink::none, line(sheet.rows[i])) << '\n';
}

void Table::print(std::ostream& stream, const Screen& screen, const TableFormat& format) const {
  if (format.json) return gktune::print(stream, json());
  if (format.csv) return print_csv(stream);
  if (format.markdown) return print_markdown(stream);
  print(stream, screen);
}

void Table::print(Context& context, const TableFormat& format) const {
  print(context.out, context.out_screen, format);
}

void Table::print(Context& context, const TableFormat& format, const Json& json) const {
  if (format.json) return gktune::print(context.out, json);
  print(context, format);
}

Json Table::json() const {
  Json array = Json::array();
  for (const Row& row : rows_) {
    Json& object = array.emplace_back(Json::object());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if ((columns_[i].forms & kJson) != 0)
        object[columns_[i].key] = i < row.cells.size() ? row.cells[i].value : Json();
    }
  }
  return array;
}

void Table::print_csv(std::ostream& stream) const {
  const auto print_line = [&](const auto& text) {
    std::string line;
    bool is_first = true;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if ((columns_[i].forms & kSheets) == 0) continue;
      line += (is_first ? "" : ",") + csv_quoted(text(i));
      is_first = false;
    }
    stream << line << '\n';
  };
  print_line([&](std::size_t i) { return columns_[i].key; });
  for (const Row& row : rows_)
    print_line(
        [&](std::size_t i) { return i < row.cells.size() ? csv_of(row.cells[i], columns_[i].unit) : ""; });
}

void Table::print_markdown(std::ostream& stream) const {
  const auto print_line = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) stream << "| " << markdown_escaped(cell) << ' ';
    stream << "|\n";
  };
  const Sheet sheet = this->sheet(kSheets);
  print_line(sheet.headers);
  for (const Column* column : sheet.columns) stream << (column->is_right() ? "|--:" : "|---");
  stream << "|\n";
  for (const auto& row : sheet.rows) print_line(row);
}

std::string Table::html(const std::vector<std::string>& anchors) const {
  const Sheet sheet = this->sheet(kText);
  const auto row_html = [&](const std::string& tag, const std::vector<std::string>& cells,
                            const std::string& begin, const std::string& anchor = "") {
    std::string html = begin;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::string cell = html_escaped(cut(cells[i], kMostHtmlColumns));
      if (i == 0 && !anchor.empty())
        cell = fmt::format("<a href=\"#{0}\" data-study=\"{0}\">{1}</a>", anchor, cell);
      html += fmt::format("<{}{}>{}</{}>", tag, sheet.columns[i]->is_right() ? " class=\"number\"" : "", cell,
                          tag.substr(0, 2));
    }
    return html + "</tr>\n";
  };
  std::string html = "<div class=\"scroll\"><table><thead>" +
                     row_html("th scope=\"col\"", sheet.headers, "<tr>") + "</thead><tbody>\n";
  for (std::size_t i = 0; i < rows_.size(); ++i)
    html += row_html("td", sheet.rows[i], rows_[i].is_bold ? "<tr class=\"first\">" : "<tr>",
                     i < anchors.size() ? anchors[i] : "");
  return html + "</tbody></table></div>\n";
}

void print_one(const Record& record, const TableFormat& format, Context& context) {
  Table table;
  table.add(record);
  table.print(context, format, json_of(record));
}

}  // namespace gktune
