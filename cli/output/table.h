#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/output/screen.h"

namespace gktune {

// Lines of columns for people; scripts take --json.
class Table {
 public:
  enum class Align { left, right };

  void add_column(std::string header, Align align);
  // Takes one cell for each column.
  void add_row(std::vector<std::string> cells);
  // Shows the last row in bold.
  void emphasise();
  bool empty() const { return rows_.empty(); }
  // Prints aligned columns. Where those are wider than the terminal, prints each row as a paragraph of
  // "header: cell" that fits, so that nothing is cut.
  void print(std::ostream& stream, const Screen& screen) const;

 private:
  struct Column {
    std::string header;
    Align align;
    std::size_t width;
  };
  struct Row {
    std::vector<std::string> cells;
    bool is_bold = false;
  };
  std::size_t width() const;
  std::string line(const std::vector<std::string>& cells) const;
  void print_columns(std::ostream& stream, const Screen& screen) const;
  void print_paragraph(const Row& row, std::ostream& stream, const Screen& screen) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace gktune
