#include "cli/output/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/python.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

Table times() {
  Table table;
  table.add_column("time", Table::Align::right);
  table.add_column("way", Table::Align::left);
  table.add_row({"9.50 µs", "one_pass"});
  table.add_row({"120 µs", "two_pass"});
  return table;
}

std::string printed(const Table& table, const Screen& screen) {
  std::ostringstream stream;
  table.print(stream, screen);
  return stream.str();
}

TEST(Table, columns_are_as_wide_as_their_widest_cell) {
  EXPECT_EQ(printed(times(), {}),
            "   time  way\n"
            "9.50 µs  one_pass\n"
            " 120 µs  two_pass\n");
}

TEST(Table, a_narrow_terminal_gets_paragraphs_that_fit) {
  EXPECT_EQ(printed(times(), {.is_terminal = true, .columns = 17}),
            "   time  way\n"
            "9.50 µs  one_pass\n"
            " 120 µs  two_pass\n");
  EXPECT_EQ(printed(times(), {.is_terminal = true, .columns = 16}),
            "time: 9.50 µs\n"
            "  way: one_pass\n"
            "time: 120 µs\n"
            "  way: two_pass\n");
}

TEST(Table, a_long_cell_is_wrapped_at_its_spaces_and_never_cut) {
  Table table;
  table.add_column("id", Table::Align::right);
  table.add_column("configuration", Table::Align::left);
  table.add_row({"7", "threadsPerBlock=256 way=one_pass tail=a_word_that_is_wider_than_the_terminal n=1"});
  EXPECT_EQ(printed(table, {.is_terminal = true, .columns = 40}),
            "id: 7\n"
            "  configuration: threadsPerBlock=256\n"
            "  way=one_pass\n"
            "  tail=a_word_that_is_wider_than_the_terminal\n"
            "  n=1\n");
}

TEST(Table, piped_output_is_never_wrapped) {
  EXPECT_EQ(printed(times(), {.columns = 5}), printed(times(), {}));
}

TEST(Table, a_cell_cannot_break_the_lines) {
  Table table;
  table.add_column("name", Table::Align::left);
  table.add_column("n", Table::Align::right);
  table.add_row({"a\nb\x1b[2J", "1"});
  EXPECT_EQ(printed(table, {}),
            "name               n\n"
            "a\\u000ab\\u001b[2J  1\n");
}

TEST(Table, a_row_can_be_bold) {
  Table table = times();
  table.emphasise();
  EXPECT_EQ(printed(table, {.is_terminal = true, .has_colour = true}),
            "\x1b[2m   time  way\x1b[0m\n"
            "9.50 µs  one_pass\n"
            "\x1b[1m 120 µs  two_pass\x1b[0m\n");
}

TEST(Table, a_table_without_rows_prints_only_its_header) {
  Table table;
  table.add_column("id", Table::Align::right);
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(printed(table, {}), "id\n");
}

std::string exported(const Table& table, const TableFormat& format) {
  std::ostringstream out;
  table.print(out, {}, format);
  return out.str();
}

Table hostile_table() {
  Table table;
  table.add_column("time", Table::Align::right, "time_us");
  table.add_column("a|b", Table::Align::left);
  table.add_row({{"9.50 µs", Value(9.5)}, "one,\"two\"\nthree"});
  table.add_row({TableCell::unknown(), "<b>*x*"});
  return table;
}

TEST(Table, csv_has_exact_values_and_quotes_special_characters) {
  EXPECT_EQ(exported(hostile_table(), {.csv = true}),
            "time_us,a|b\n9.5,\"one,\"\"two\"\"\nthree\"\n,<b>*x*\n");
}

TEST(Table, python_reads_the_same_cells_from_csv_as_from_json) {
  Table table = hostile_table();
  for (const char* text : {"", " spaces ", "\"", "\"\"", ",", "two\r\nlines", "µs – ✓", "'=1+1'", "\ttab"})
    table.add_row({{"", Value(0.1)}, text});
  table.add_row({{"", Value(true)}, {"", Value(1e300)}});
  ScratchFolder folder;
  folder.write("table.csv", exported(table, {.csv = true}));
  folder.write("table.json", exported(table, {.json = true}));
  const std::string script = R"(
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8"), strict=True))
objects = json.load(open(sys.argv[2], encoding="utf-8"))
assert len(rows) == len(objects) == 12, (len(rows), len(objects))
for row, object in zip(rows, objects):
    assert row.keys() == object.keys() == {"time_us", "a|b"}, row
    for key, value in object.items():
        same = row[key] == ("" if value is None else value) if isinstance(value, (str, type(None))) else json.loads(row[key]) == value
        assert same, (row[key], value)
)";
  EXPECT_EQ(run_python(folder, script, {folder.path("table.csv"), folder.path("table.json")}), 0);
}

TEST(Table, json_has_exact_values_under_the_keys) {
  EXPECT_EQ(exported(hostile_table(), {.json = true}),
            "[\n  {\n    \"time_us\": 9.5,\n    \"a|b\": \"one,\\\"two\\\"\\nthree\"\n  },\n"
            "  {\n    \"time_us\": null,\n    \"a|b\": \"<b>*x*\"\n  }\n]\n");
}

TEST(Table, markdown_characters_are_escaped) {
  EXPECT_EQ(exported(hostile_table(), {.markdown = true}),
            "| time | a\\|b |\n|--:|---|\n| 9.50 µs | one,\"two\"\\\\u000athree |\n| - | \\<b\\>\\*x\\* |\n");
}

}  // namespace
}  // namespace gktune
