#include "runtime/launch_table.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace gktune {
namespace {

using Sizes = std::array<AxisValue, 1>;

std::shared_ptr<PreparedLaunch> launch_of(int n, bool owns_code = false) {
  auto launch = std::make_shared<PreparedLaunch>();
  launch->answer.time_us = n;
  launch->owns_code = owns_code;
  return launch;
}

std::vector<int> sizes_in(const LaunchTable& table) {
  std::vector<int> sizes;
  table.for_each_problem(
      [&](const std::vector<Value>& problem) { sizes.push_back(static_cast<int>(problem[0].integer())); });
  return sizes;
}

TEST(LaunchTable, the_least_recently_used_launches_go) {
  LaunchTable table(1, 4);
  for (int n = 1; n <= 4; ++n) table.set(Sizes{n}, launch_of(n));
  for (int n = 5; n <= 100; ++n) {
    EXPECT_NE(table.find(Sizes{1}), nullptr) << "used before each new size, but forgotten at " << n;
    table.set(Sizes{n}, launch_of(n));
  }
  EXPECT_EQ(sizes_in(table), (std::vector{1, 98, 99, 100}));
  EXPECT_EQ(table.find(Sizes{97}), nullptr);
}

TEST(LaunchTable, launches_that_left_are_returned_once) {
  LaunchTable table(1, 8);
  int left = 0;
  for (int n = 0; n < 1000; ++n) left += static_cast<int>(table.set(Sizes{n}, launch_of(n)).size());
  EXPECT_EQ(left + static_cast<int>(sizes_in(table).size()), 1000);
  EXPECT_LE(sizes_in(table).size(), 8u);
}

TEST(LaunchTable, a_launch_that_owns_its_code_stays) {
  LaunchTable table(1, 2);
  for (int n = 0; n < 10; ++n) table.set(Sizes{n}, launch_of(n, n < 5));
  EXPECT_EQ(sizes_in(table), (std::vector{0, 1, 2, 3, 4, 8, 9}));
  EXPECT_TRUE(table.set(Sizes{0}, launch_of(0, true)).empty());
  EXPECT_EQ(table.take_all().size(), 8u);
}

TEST(LaunchTable, a_replaced_launch_is_returned_when_no_thread_reads) {
  LaunchTable table(1, 4);
  const auto first = launch_of(1);
  table.set(Sizes{1}, first);
  {
    const LaunchTable::Reading reading(table);
    EXPECT_EQ(table.find(Sizes{1}), first.get());
    EXPECT_TRUE(table.set(Sizes{1}, launch_of(2)).empty());
    EXPECT_NE(table.find(Sizes{1}), first.get());
  }
  EXPECT_EQ(table.set(Sizes{2}, launch_of(3)), (std::vector<SharedLaunch>{first}));
}

TEST(LaunchTable, at_least_one_launch_is_kept) {
  LaunchTable table(1, 0);
  for (int n = 0; n < 3; ++n) {
    table.set(Sizes{n}, launch_of(n));
    EXPECT_EQ(sizes_in(table), (std::vector{n}));
  }
}

TEST(LaunchTable, threads_read_launches_while_others_leave) {
  LaunchTable table(1, 8);
  std::atomic<bool> ends{false};
  std::atomic<int> found{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; !ends; ++i) {
        std::this_thread::yield();
        const LaunchTable::Reading reading(table);
        const PreparedLaunch* launch = table.find(Sizes{i % 16});
        if (launch == nullptr) continue;
        EXPECT_EQ(launch->answer.time_us, i % 16);
        ++found;
      }
    });
  }
  for (int i = 0; i < 2000 || found < 1000; ++i) {
    for (const SharedLaunch& left : table.set(Sizes{i % 16}, launch_of(i % 16)))
      std::const_pointer_cast<PreparedLaunch>(left)->answer.time_us = -1;
  }
  ends = true;
}

}  // namespace
}  // namespace gktune
