#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/output/screen.h"
#include "gktune/values.h"

namespace gktune {

// The form in which a table is printed; text for people if none is chosen.
struct TableFormat {
  bool json = false, csv = false, markdown = false;
  bool is_text() const { return !json && !csv && !markdown; }
};

// A text for people, and a value for programs.
struct TableCell {
  TableCell(std::string both) : text(std::move(both)), value(Value(text)) {}
  TableCell(const char* both) : TableCell(std::string(both)) {}
  TableCell(std::string shown, Value exact) : text(std::move(shown)), value(std::move(exact)) {}
  static TableCell unknown() { return TableCell(); }

  std::string text;
  std::optional<Value> value;  // nothing: unknown

 private:
  TableCell() : text("-") {}
};

// In milliseconds; 0 is unknown.
TableCell date_cell(std::int64_t unix_ms);

// Every table that the program prints, in every form.
class Table {
 public:
  enum class Align { left, right };

  // The key names the column for programs; without one the header does.
  void add_column(std::string header, Align align, std::string key = "");
  // Takes one cell for each column.
  void add_row(std::vector<TableCell> cells);
  // Shows the last row in bold.
  void emphasise();
  bool empty() const { return rows_.empty(); }
  // Prints aligned columns. Where those are wider than the terminal, prints each row as a paragraph of
  // "header: cell" that fits, so that nothing is cut.
  void print(std::ostream& stream, const Screen& screen) const;
  // JSON is an array of objects; CSV is quoted as in RFC 4180, with a line feed after each row.
  void print(std::ostream& stream, const Screen& screen, const TableFormat& format) const;

 private:
  struct Column {
    std::string header;
    Align align;
    std::size_t width;
    std::string key;
  };
  struct Row {
    std::vector<std::string> cells;
    bool is_bold = false;
    std::vector<std::optional<Value>> values;
  };
  std::size_t width() const;
  std::string line(const std::vector<std::string>& cells) const;
  void print_json(std::ostream& stream) const;
  void print_csv(std::ostream& stream) const;
  void print_markdown(std::ostream& stream) const;
  void print_columns(std::ostream& stream, const Screen& screen) const;
  void print_paragraph(const Row& row, std::ostream& stream, const Screen& screen) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace gktune
