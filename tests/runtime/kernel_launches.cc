// gktune::Kernel on any device.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "gktune/kernel.h"
#include "tests/runtime/kernel_fixture.h"

namespace gktune {
namespace {

TEST_P(KernelLaunches, every_step_of_the_default_is_launched_without_a_database) {
  Kernel kernel = open(settings());
  EXPECT_EQ(kernel.axes(), (std::vector<std::string>{"n"}));
  EXPECT_EQ(threads_used(kernel, 1000), 32);
  EXPECT_EQ(threads_used(kernel, 1000), 32);  // the scratch memory is filled anew
  const auto choice = kernel.prepare({1000});
  EXPECT_EQ(choice->match, Match::space_default);
  EXPECT_EQ(choice->reason, "no database was given");
  ASSERT_EQ(choice->arguments.size(), 2u);
  EXPECT_EQ(choice->arguments[0].count, 1000u);
  EXPECT_TRUE(choice->arguments[1].is_written);
  EXPECT_TRUE(notices_.empty());
}

TEST_P(KernelLaunches, two_sizes_launched_by_one_handle_get_their_own_configurations) {
  tuned(1000, 64);
  tuned(4000, 128);
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  EXPECT_EQ(threads_used(kernel, 4000), 128);
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  EXPECT_EQ(threads_used(kernel, 3900), 128);
  EXPECT_EQ(kernel.prepare({1000})->match, Match::exact);
  EXPECT_EQ(kernel.prepare({3900})->match, Match::nearest_problem);
  EXPECT_EQ(threads_used(kernel, 100), 64);  // 128 threads would be more than n
  EXPECT_EQ(threads_used(kernel, 40), 32);
}

TEST_P(KernelLaunches, a_winner_that_does_not_compile_is_replaced_and_reported_once) {
  tuned(1000, 96);
  tuned(4000, 64);
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  EXPECT_EQ(threads_used(kernel, 1100), 64);
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_NE(notices_[0].find("threads=96: compile_failed"), std::string::npos) << notices_[0];
  EXPECT_NE(kernel.prepare({1000})->reason.find("threads=96"), std::string::npos);
}

TEST_P(KernelLaunches, the_default_is_launched_while_the_winner_is_compiled_in_the_background) {
  tuned(1000, 64);
  KernelSettings background = with_database();
  background.compilation = Compilation::in_background;
  background.cache_dir = folder_ / "own";
  Kernel kernel = open(background);
  EXPECT_EQ(threads_used(kernel, 1000), 32);
  EXPECT_EQ(threads_used_at_last(kernel, 1000, 64), 64);
}

TEST_P(KernelLaunches, several_threads_launch_one_kernel) {
  tuned(1000, 64);
  tuned(4000, 128);
  Kernel kernel = open(with_database());
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10; ++i) {
          right += threads_used(kernel, 1000) == 64 ? 1 : 0;
          right += threads_used(kernel, 4000 + i) == 128 ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(right, 80);
}

TEST_P(KernelLaunches, autotune_measures_a_missing_size_with_the_caller_s_inputs_and_stores_it) {
  tuned(1000, 64);
  Kernel kernel = open(with_database());
  EXPECT_EQ(kernel.prepare({50})->match, Match::space_default);  // 64 threads are more than n
  Totals totals{-1.0f, -1.0f};
  memory_.with_ones(50, totals, [&](const float* in, float* out, void*) {
    const auto tuned = kernel.autotune({50}, {in, out}, 60);
    EXPECT_EQ(tuned->match, Match::exact);
    EXPECT_EQ(tuned->config, (Config{{"threads", 32}}));
    EXPECT_FALSE(kernel.autotune({51}, {in, out}, 0).ok());
    EXPECT_FALSE(kernel.autotune({51}, {in}, 30).ok());
    EXPECT_EQ(open(settings()).autotune({50}, {in, out}, 30).error().message,
              "autotune needs a database to store its result in");
  });
  EXPECT_EQ(totals, (Totals{-1.0f, -1.0f}));
  EXPECT_EQ(threads_used(kernel, 50), 32);
  EXPECT_EQ(open(with_database()).prepare({50})->match, Match::exact);
  EXPECT_EQ(kernel.autotune({50}, {}, 30)->match, Match::exact);  // nothing to do
}

TEST_P(KernelLaunches, a_kernel_follows_its_database_when_another_process_tunes) {
  tuned(4000, 128);
  KernelSettings following = with_database();
  following.follow_interval = std::chrono::milliseconds(5);
  Kernel kernel = open(following);
  EXPECT_EQ(threads_used(kernel, 1000), 128);
  EXPECT_EQ(kernel.prepare({1000})->match, Match::nearest_problem);
  tuned(1000, 64);
  EXPECT_EQ(threads_used_at_last(kernel, 1000, 64), 64);
  EXPECT_EQ(kernel.prepare({1000})->match, Match::exact);
  EXPECT_EQ(threads_used(kernel, 4000), 128);
}

TEST_P(KernelLaunches, a_kernel_that_does_not_follow_keeps_its_winners) {
  tuned(4000, 128);
  KernelSettings fixed = with_database();
  fixed.follow_interval = std::chrono::milliseconds(0);
  Kernel kernel = open(fixed);
  tuned(1000, 64);
  EXPECT_EQ(threads_used(kernel, 1000), 128);
}

}  // namespace
}  // namespace gktune
