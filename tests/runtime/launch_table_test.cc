#include "runtime/launch_table.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace gktune {
namespace {

using Problem2 = std::array<AxisValue, 2>;

TEST(LaunchTable, finds_what_was_added_and_nothing_else) {
  LaunchTable<int> table;
  for (int n = 0; n < 1000; ++n) {
    for (const char* type : {"float", "double"}) table.add(Problem2{n, type}) = type[0] == 'f' ? n : -n;
  }
  EXPECT_EQ(table.size(), 2000u);
  for (int n = 0; n < 1000; ++n) {
    ASSERT_NE(table.find(Problem2{n, "float"}), nullptr);
    EXPECT_EQ(*table.find(Problem2{n, "float"}), n);
    EXPECT_EQ(*table.find(Problem2{n, "double"}), -n);
    EXPECT_EQ(table.find(Problem2{n, "half"}), nullptr);
  }
  EXPECT_EQ(table.find(Problem2{1000, "float"}), nullptr);
  EXPECT_EQ(table.find(std::array<AxisValue, 1>{5}), nullptr);
}

TEST(LaunchTable, texts_are_its_own) {
  LaunchTable<int> table;
  {
    const std::string text = "a text that is longer than what a string holds in itself";
    table.add(std::array<AxisValue, 1>{text}) = 7;
  }
  const std::string again = "a text that is longer than what a string holds in itself";
  EXPECT_EQ(*table.find(std::array<AxisValue, 1>{again}), 7);
}

TEST(LaunchTable, threads_find_items_while_one_adds) {
  LaunchTable<int> table;
  std::vector<std::jthread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&] {
      for (int n = 0; n < 5000;) n += table.find(std::array<AxisValue, 1>{n}) != nullptr ? 1 : 0;
    });
  }
  for (int n = 0; n < 5000; ++n) table.add(std::array<AxisValue, 1>{n}) = n;
}

}  // namespace
}  // namespace gktune
