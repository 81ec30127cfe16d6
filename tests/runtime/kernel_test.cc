#include "runtime/kernel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/runtime/kernel_fixture.h"

namespace gktune {
namespace {

TEST_F(KernelTest, without_a_database_the_default_serves_and_every_step_is_launched) {
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

TEST_F(KernelTest, two_sizes_through_one_handle_get_their_own_configurations) {
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

TEST_F(KernelTest, winners_of_other_sources_are_not_used) {
  tuned(1000, 64, "other");
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 1000), 32);
  EXPECT_NE(kernel.prepare({1000})->reason.find("1 winner was of other sources"), std::string::npos)
      << kernel.prepare({1000})->reason;
}

TEST_F(KernelTest, a_winner_that_does_not_compile_gives_way_to_the_next_and_is_reported_once) {
  tuned(1000, 96);
  tuned(4000, 64);
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  EXPECT_EQ(threads_used(kernel, 1100), 64);
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_NE(notices_[0].find("threads=96: compile_failed"), std::string::npos) << notices_[0];
  EXPECT_NE(kernel.prepare({1000})->reason.find("threads=96"), std::string::npos);
}

TEST_F(KernelTest, a_kernel_none_of_whose_configurations_compiles_is_an_error_each_time) {
  folder_.write("total.cu", "this is no C++");
  Kernel kernel = open(settings());
  float out[2];
  for (int i = 0; i < 2; ++i) {
    const auto done = kernel.launch({1000}, {static_cast<const float*>(out), out});
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.error().message.find("no configuration of total works for n=1000"), std::string::npos)
        << done.error().message;
  }
  EXPECT_EQ(notices_.size(), 1u);
}

TEST_F(KernelTest, the_default_serves_while_the_winner_is_compiled_in_the_background) {
  tuned(1000, 64);
  KernelSettings background = with_database();
  background.compilation = Compilation::in_background;
  background.cache_dir = folder_ / "own";
  Kernel kernel = open(background);
  EXPECT_EQ(threads_used(kernel, 1000), 32);
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (threads_used(kernel, 1000) != 64 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(threads_used(kernel, 1000), 64);
}

TEST_F(KernelTest, compiled_code_is_found_without_the_compiler) {
  const std::string log = folder_ / "log";
  folder_.write("cxx", "#!/bin/sh\ncase \"$*\" in *-shared*) echo once >> " + log + ";; esac\nexec c++ \"$@\"\n");
  std::filesystem::permissions(folder_ / "cxx", std::filesystem::perms(0755));
  KernelSettings logged = settings();
  logged.cxx = folder_ / "cxx";
  logged.cache_dir = folder_ / "own";
  for (int i = 0; i < 2; ++i) {
    Kernel kernel = open(logged);
    EXPECT_EQ(threads_used(kernel, 1000), 32);
    EXPECT_EQ(threads_used(kernel, 2000), 32);
  }
  std::ifstream lines(log);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(lines), {}, '\n'), 1);
}

TEST_F(KernelTest, arguments_of_other_types_or_numbers_are_refused_with_their_names) {
  Kernel kernel = open(settings());
  float in[1000] = {}, out[2] = {};
  double wide[1000] = {};
  const auto error = [&](std::initializer_list<LaunchArgument> arguments) {
    const auto done = kernel.launch({1000}, arguments);
    return done.ok() ? "none" : done.error().message;
  };
  EXPECT_EQ(error({in, out}), "none");
  EXPECT_EQ(error({static_cast<void*>(in), static_cast<const float*>(in)}),
            "argument 2 of total, 'out', is float32*, not const float32*");
  EXPECT_EQ(error({in}), "total takes 2 arguments (in, out), and is given 1");
  EXPECT_EQ(error({in, out, 1000}), "total takes 2 arguments (in, out), and is given 3");
  EXPECT_EQ(error({wide, out}), "argument 1 of total, 'in', is float32*, not float64*");
  EXPECT_EQ(error({in, 5}), "argument 2 of total, 'out', is float32*, not int32");
}

TEST_F(KernelTest, problems_with_other_axes_are_refused) {
  Kernel kernel = open(settings());
  float in[1000] = {}, out[2] = {};
  EXPECT_EQ(kernel.launch({}, {in, out}).error().message, "total has 1 axes (n), and the problem has 0 values");
  EXPECT_EQ(kernel.launch({1, 2}, {in, out}).error().message, "total has 1 axes (n), and the problem has 2 values");
  EXPECT_EQ(kernel.launch({"many"}, {in, out}).error().message,
            "the axis n has values such as 1000, and the problem has many");
  EXPECT_NE(kernel.launch({-1}, {in, out}).error().message.find("the constraints exclude all"), std::string::npos);
}

TEST_F(KernelTest, a_launch_may_pass_scalars_and_scratch_memory_by_name) {
  KernelSettings named = settings();
  named.arguments = {"scale", "out", "in", "partial"};
  Kernel kernel = open(named);
  const std::vector<float> in(1000, 1.0f);
  float out[2] = {}, partial[4] = {};
  ASSERT_TRUE(kernel.launch({1000}, {2.5f, out, in.data(), partial}).ok());
  EXPECT_EQ(out[0], 2500.0f);
  EXPECT_EQ(std::accumulate(partial, partial + 4, 0.0f), 1000.0f);
  EXPECT_EQ(kernel.launch({1000}, {2.5, out, in.data(), partial}).error().message,
            "argument 1 of total, 'scale', is float32, not float64");
}

TEST_F(KernelTest, bad_settings_are_errors) {
  KernelSettings bad = settings();
  bad.arguments = {"in", "outt"};
  EXPECT_NE(error_of(bad).find("there is no argument 'outt', did you mean 'out'?"), std::string::npos);
  bad.arguments = {"in"};
  EXPECT_NE(error_of(bad).find("launches have to pass the buffer 'out'"), std::string::npos);
  bad.arguments = {"in", "out", "in"};
  EXPECT_NE(error_of(bad).find("the argument 'in' is named twice"), std::string::npos);
  bad = settings();
  bad.device = "gpu";
  EXPECT_NE(error_of(bad).find("no device is called 'gpu'"), std::string::npos);
  for (const char* device : {"cuda:all", "sm_90", "replay:x"}) {
    bad.device = device;
    EXPECT_NE(error_of(bad).find("a kernel launches on one device"), std::string::npos) << device;
  }
  bad = settings();
  bad.databases = {folder_ / "no.db"};
  EXPECT_NE(error_of(bad).find("no such file"), std::string::npos);
  bad = settings();
  bad.cxx = "/no/compiler";
  EXPECT_NE(error_of(bad).find("the host device needs a C++ compiler"), std::string::npos);
  folder_.write("file", "");
  bad = settings();
  bad.cache_dir = folder_ / "file" / "cache";
  EXPECT_NE(error_of(bad), "none");
  folder_.write("total.yaml", "kernel: total\n");
  EXPECT_NE(error_of(settings()).find("total.yaml:1:1: error"), std::string::npos) << error_of(settings());
}

TEST_F(KernelTest, several_threads_launch_one_kernel) {
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

TEST_F(KernelTest, autotune_measures_a_missing_size_with_the_caller_s_inputs_and_stores_it) {
  tuned(1000, 64);
  Kernel kernel = open(with_database());
  const std::vector<float> in(50, 1.0f);
  std::vector<float> out(2, -1.0f);
  EXPECT_EQ(kernel.prepare({50})->match, Match::space_default);  // 64 threads are more than n
  const auto tuned = kernel.autotune({50}, {in.data(), out.data()}, 30);
  ASSERT_TRUE(tuned.ok()) << tuned.error().message;
  EXPECT_EQ(tuned->match, Match::exact);
  EXPECT_EQ(tuned->config, (Config{{"threads", 32}}));
  EXPECT_EQ(out, (std::vector<float>{-1.0f, -1.0f}));
  EXPECT_EQ(threads_used(kernel, 50), 32);
  EXPECT_EQ(open(with_database()).prepare({50})->match, Match::exact);
  EXPECT_EQ(kernel.autotune({50}, {}, 30)->match, Match::exact);  // nothing to do
  EXPECT_FALSE(kernel.autotune({51}, {in.data(), out.data()}, 0).ok());
  EXPECT_FALSE(kernel.autotune({51}, {in.data()}, 30).ok());
  EXPECT_EQ(open(settings()).autotune({50}, {in.data(), out.data()}, 30).error().message,
            "autotune needs a database to store its result in");
}

TEST_F(KernelTest, a_kernel_follows_its_database_when_another_process_tunes) {
  tuned(4000, 128);
  KernelSettings following = with_database();
  following.follow_interval = std::chrono::milliseconds(5);
  Kernel kernel = open(following);
  EXPECT_EQ(threads_used(kernel, 1000), 128);
  EXPECT_EQ(kernel.prepare({1000})->match, Match::nearest_problem);
  tuned(1000, 64);
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (threads_used(kernel, 1000) != 64 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  EXPECT_EQ(kernel.prepare({1000})->match, Match::exact);
  EXPECT_EQ(threads_used(kernel, 4000), 128);
}

TEST_F(KernelTest, a_kernel_that_does_not_follow_keeps_its_winners) {
  tuned(4000, 128);
  KernelSettings fixed = with_database();
  fixed.follow_interval = std::chrono::milliseconds(0);
  Kernel kernel = open(fixed);
  tuned(1000, 64);
  EXPECT_EQ(threads_used(kernel, 1000), 128);
}

TEST_F(KernelTest, textures_are_refused_in_one_line) {
  const auto kernel = Kernel::open(GKTUNE_SOURCE_DIR "/tests/kernels/launches/texture.yaml", settings());
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().message,
            "an application cannot launch texture: it takes a texture of 'image', and only the tuner makes "
            "textures");
}

TEST_F(KernelTest, variables_of_the_source_are_arguments_of_the_launch) {
  auto kernel = Kernel::open(GKTUNE_SOURCE_DIR "/tests/kernels/launches/device_variable.yaml", settings());
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const std::vector<int> in{3, -4, 5, -6, 7};
  std::vector<int> signs(2);
  for (int balance : {0, 100}) {
    const int expected = balance + 5;
    const auto done = kernel->launch({5}, {in.data(), signs.data(), &balance});
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(signs, (std::vector<int>{3, 2}));
    EXPECT_EQ(balance, expected);
  }
}

}  // namespace
}  // namespace gktune
