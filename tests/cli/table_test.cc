#include "cli/output/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/python.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

Table times() {
  Table table;
  table.add({{"time", 9.5, Unit::microseconds}, {"way", "one_pass"}});
  table.add({{"time", 120, Unit::microseconds}, {"way", "two_pass"}});
  return table;
}

std::string printed(const Table& table, const Screen& screen) {
  std::ostringstream stream;
  table.print(stream, screen);
  return stream.str();
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
  table.add({{"id", 7},
             {"configuration",
              "threadsPerBlock=256 way=one_pass tail=a_word_that_is_wider_than_the_terminal n=1"}});
  EXPECT_EQ(printed(table, {.is_terminal = true, .columns = 40}),
            "id: 7\n"
            "  configuration: threadsPerBlock=256\n"
            "  way=one_pass\n"
            "  tail=a_word_that_is_wider_than_the_terminal\n"
            "  n=1\n");
}

TEST(Table, a_cell_cannot_break_the_lines) {
  Table table;
  table.add({{"name", "a\nb\x1b[2J"}, {"n", 1}});
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
  const Table table(Record{{"id"}});
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
  table.add({{"time_us", 9.5, Unit::microseconds, "time"}, {"a|b", "one,\"two\"\nthree"}});
  table.add({{"time_us", {}}, {"a|b", "<b>*x*"}});
  return table;
}

TEST(Table, csv_has_exact_values_and_quotes_special_characters) {
  EXPECT_EQ(exported(hostile_table(), {.csv = true}),
            "time_us,a|b\n9.5,\"one,\"\"two\"\"\nthree\"\n,<b>*x*\n");
}

TEST(Table, python_reads_the_same_cells_from_csv_as_from_json) {
  Table table = hostile_table();
  for (const char* text : {"", " spaces ", "\"", "\"\"", ",", "two\r\nlines", "µs – ✓", "'=1+1'", "\ttab"})
    table.add({{"time_us", 0.1}, {"a|b", text}});
  table.add({{"time_us", true}, {"a|b", 1e300}});
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

TEST(Table, units_decide_how_people_read_numbers) {
  Table table;
  table.add({{"id", 17000},
             {"trials", 17000, Unit::count},
             {"share", 0.123, Unit::share},
             {"size", 2048, Unit::bytes},
             {"times", std::vector{1.5, 2.5}, Unit::microseconds},
             {"updated", 1717176000000, Unit::unix_ms}});
  EXPECT_EQ(printed(table, {}),
            "   id  trials   share   size             times  updated\n"
            "17000  17,000  12.3 %  2 KiB  1.50 µs, 2.50 µs  2024-05-31 17:20\n");
}

TEST(Table, a_later_record_may_add_columns_and_leave_some_out) {
  Table table;
  table.add({{"a", 1}, {"b", 2}});
  table.add({{"a", 3}, {"c_d", "x"}});
  EXPECT_EQ(printed(table, {}),
            "a  b  c d\n"
            "1  2  -\n"
            "3  -  x\n");
  EXPECT_EQ(table.json().dump(), R"([{"a":1,"b":2,"c_d":null},{"a":3,"b":null,"c_d":"x"}])");
}

TEST(Table, a_field_may_be_left_out_of_some_forms) {
  Table table;
  table.add({{"a", 1}, json_field("details", Json{{"x", 1}}), {"only_text", "t", Unit::none, "", kText}});
  EXPECT_EQ(printed(table, {}), "a  only text\n1  t\n");
  EXPECT_EQ(exported(table, {.csv = true}), "a\n1\n");
  EXPECT_EQ(table.json().dump(), R"([{"a":1,"details":{"x":1}}])");
}

TEST(Table, html_is_escaped_and_links_rows) {
  EXPECT_EQ(hostile_table().html({"here"}),
            "<div class=\"scroll\"><table><thead><tr><th scope=\"col\" class=\"number\">time</th>"
            "<th scope=\"col\">a|b</th></tr>\n</thead><tbody>\n"
            "<tr><td class=\"number\"><a href=\"#here\" data-study=\"here\">9.50 µs</a></td>"
            "<td>one,&quot;two&quot;\\u000athree</td></tr>\n"
            "<tr><td class=\"number\">-</td><td>&lt;b&gt;*x*</td></tr>\n</tbody></table></div>\n");
}

}  // namespace
}  // namespace gktune
