#include "cli/table.h"

#include <gtest/gtest.h>

#include <sstream>

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

TEST(Table, columns_are_as_wide_as_what_they_hold) {
  EXPECT_EQ(printed(times(), {}),
            "   time  way\n"
            "9.50 µs  one_pass\n"
            " 120 µs  two_pass\n");
}

TEST(Table, a_terminal_gets_lines_that_fit) {
  EXPECT_EQ(printed(times(), {.is_terminal = true, .columns = 12}),
            "   time  way\n"
            "9.50 µs  on…\n"
            " 120 µs  tw…\n");
}

TEST(Table, a_row_can_be_bold) {
  Table table = times();
  table.emphasise();
  EXPECT_EQ(printed(table, {.is_terminal = true, .has_colour = true}),
            "\x1b[2m   time  way\x1b[0m\n"
            "9.50 µs  one_pass\n"
            "\x1b[1m 120 µs  two_pass\x1b[0m\n");
}

TEST(Table, without_rows_the_header_stands_alone) {
  Table table;
  table.add_column("id", Table::Align::right);
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(printed(table, {}), "id\n");
}

}  // namespace
}  // namespace gktune
