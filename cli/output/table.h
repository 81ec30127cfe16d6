#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/context.h"
#include "cli/output/json.h"
#include "cli/output/units.h"
#include "tuner/core/fields_json.h"

namespace gktune {

// The form in which a command prints its results; text for people if none is chosen.
struct TableFormat {
  bool json = false, csv = false, markdown = false;
  bool is_text() const { return !json && !csv && !markdown; }
};

// A value for programs, and the text for people where the field's unit does not give it. Null is unknown.
struct Cell {
  Cell() = default;
  Cell(Json exact) : value(std::move(exact)) {}
  Cell(const char* both) : value(both) {}
  Cell(std::string_view both) : value(both) {}
  Cell(const Value& exact)
      : value(json_of(exact)), text(exact.is_real() ? format_number(exact.real()) : exact.str()) {}
  Cell(const Config& config) : value(json_of(config)), text(config.str()) {}
  Cell(std::string shown, Json exact) : value(std::move(exact)), text(std::move(shown)) {}
  template <class T>
  Cell(const T& exact) : value(written<Json>(exact)) {}

  Json value;
  std::optional<std::string> text;
};
Cell problem_cell(const Problem& problem);
Cell device_cell(const DeviceIdentity& device);

// The forms that have a field. A sheet is CSV or Markdown.
enum Forms : unsigned { kText = 1, kSheets = 2, kJson = 4, kNotText = 6, kNotJson = 3, kAllForms = 7 };

// A named cell of a row. The key names it for programs, the header for people: the key with blanks if none is
// given.
struct Field {
  std::string key;
  Cell cell = {};
  Unit unit = Unit::none;
  std::string header = "";
  Forms forms = kAllForms;
};
using Record = std::vector<Field>;
inline Field json_field(std::string key, Cell cell) {
  return {std::move(key), std::move(cell), Unit::none, "", kJson};
}
Json json_of(const Record& record);
// The cell as people read it, in one line.
std::string text_of(const Cell& cell, Unit unit);

// The renderer of all results: rows of named cells, printed as text, JSON, CSV, Markdown or HTML.
class Table {
 public:
  Table() = default;
  // With the columns of this record, for a table that may stay without rows.
  explicit Table(const Record& example) { place(example); }

  // A field of a key that the table does not have yet becomes another column.
  void add(Record record);
  // Shows the last row in bold.
  void emphasise() { rows_.back().is_bold = true; }
  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }
  // Prints aligned columns. Where those are wider than the terminal, prints each row as a paragraph of
  // "header: cell" that fits, so that nothing is cut.
  void print(std::ostream& stream, const Screen& screen) const;
  // JSON is an array of objects; CSV is quoted as in RFC 4180, with a line feed after each row.
  void print(std::ostream& stream, const Screen& screen, const TableFormat& format) const;
  void print(Context& context, const TableFormat& format) const;
  // The same, with this JSON instead of the rows.
  void print(Context& context, const TableFormat& format, const Json& json) const;
  Json json() const;
  // The first cell of each row links to the row's anchor, if it has one.
  std::string html(const std::vector<std::string>& anchors = {}) const;

 private:
  struct Column {
    std::string key, header;
    Unit unit;
    Forms forms;
    bool has_words = false, has_others = false;  // numbers, or cells that are unknown
    bool is_right() const;
  };
  struct Row {
    std::vector<Cell> cells;
    bool is_bold = false;
  };
  // The columns of one form, with the texts of their headers and cells.
  struct Sheet {
    std::vector<const Column*> columns;
    std::vector<std::string> headers;
    std::vector<std::vector<std::string>> rows;
  };
  std::vector<std::size_t> place(const Record& record);
  Sheet sheet(Forms form) const;
  void print_csv(std::ostream& stream) const;
  void print_markdown(std::ostream& stream) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Prints one row; as JSON it is an object.
void print_one(const Record& record, const TableFormat& format, Context& context);

}  // namespace gktune
