#include "db/axis_table.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace gktune {
namespace {

using Problem1 = std::array<AxisValue, 1>;
using Problem2 = std::array<AxisValue, 2>;

TEST(AxisTable, an_item_that_is_set_again_replaces_the_first) {
  int first = 0, second = 0;
  AxisTable<int> table(1);
  table.set(Problem1{7}, &first);
  table.set(Problem1{7.0}, &second);
  EXPECT_EQ(table.find(Problem1{7}), &second);
  int items = 0;
  table.for_each([&](const std::vector<Value>&, const int&) { ++items; });
  EXPECT_EQ(items, 1);
}

// Each pair is found by the other if and only if they are equal.
TEST(AxisTable, equal_values_find_the_same_item) {
  const double infinite = std::numeric_limits<double>::infinity();
  const std::int64_t exact = std::int64_t{1} << 53, most = std::numeric_limits<std::int64_t>::max();
  const std::string same_ends_1 = "row_major_with_padding", same_ends_2 = "row_major_upon_padding";
  const std::vector<AxisValue> values{0, 1, -1, true, false, 0.0, -0.0, 1.0, 0.5, exact - 1, exact, exact + 1,
                                      most, most - 1, -exact, -most, infinite, -infinite, 1e300, std::nan(""),
                                      9007199254740992.0, "", "a", "b", "aa", "ab", "aba", "abb", "aaa",
                                      "aaaa", "aaaab", "float", "floau", "abcdabcd", "abcd", "abcdabc",
                                      "12345678", "123456789", same_ends_1, same_ends_2,
                                      std::string_view("\0", 1), std::string_view("a\0", 2),
                                      std::string_view("\1", 1)};
  int item = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    AxisTable<int> table(1);
    table.set(std::span(&values[i], 1), &item);
    for (std::size_t j = 0; j < values.size(); ++j) {
      EXPECT_EQ(table.find(std::span(&values[j], 1)) != nullptr, values[i] == values[j]) << i << ' ' << j;
    }
  }
}

TEST(AxisTable, all_axes_count_however_many_there_are) {
  for (const std::size_t count : {0, 1, 6, 7, 15, 16, 17, 30, 31, 40}) {
    AxisTable<std::size_t> table(count);
    std::vector<std::size_t> items(count + 1);
    std::vector<AxisValue> values(count, AxisValue(3));
    table.set(values, &items[count]);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = "3";
      EXPECT_EQ(table.find(values), nullptr) << count << ' ' << i;
      table.set(values, &items[i]);
      values[i] = 3;
    }
    EXPECT_EQ(table.find(values), &items[count]) << count;
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = "3";
      EXPECT_EQ(table.find(values), &items[i]) << count << ' ' << i;
      values[i] = 3;
    }
  }
}

TEST(AxisTable, keeps_its_own_copies_of_texts) {
  int item = 0;
  AxisTable<int> table(1);
  {
    const std::string text = "a text that is longer than what a string holds in itself";
    table.set(Problem1{text}, &item);
  }
  const std::string again = "a text that is longer than what a string holds in itself";
  EXPECT_EQ(table.find(Problem1{again}), &item);
}

TEST(AxisTable, threads_find_items_while_another_thread_sets_some) {
  constexpr int kItems = 5000;
  std::vector<int> items(kItems);
  AxisTable<int> table(1);
  std::atomic<bool> are_set{false};
  std::vector<std::jthread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&, t] {
      for (int n = t; !are_set; n = (n + 7) % kItems) {
        const int* found = table.find(Problem1{n});
        EXPECT_TRUE(found == nullptr || found == &items[static_cast<std::size_t>(n)]) << n;
      }
    });
  }
  for (int n = 0; n < kItems; ++n) table.set(Problem1{n}, &items[static_cast<std::size_t>(n)]);
  are_set = true;
}

}  // namespace
}  // namespace gktune
