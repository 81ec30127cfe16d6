#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/screen.h"

namespace gktune {

// Lines of columns for people; scripts take --json.
class Table {
 public:
  enum class Align { left, right };

  void add_column(std::string header, Align align);
  // A cell a column.
  void add_row(std::vector<std::string> cells);
  // The row that was added last is shown bold.
  void emphasise();
  bool empty() const { return rows_.empty(); }
  // Lines that are wider than a terminal are cut; elsewhere nothing is.
  void print(std::ostream& stream, const Screen& screen) const;

 private:
  struct Column {
    std::string header;
    Align align;
  };
  struct Row {
    std::vector<std::string> cells;
    bool is_bold = false;
  };
  std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace gktune
