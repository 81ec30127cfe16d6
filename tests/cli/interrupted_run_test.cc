// An interrupted run keeps every finished measurement, and the next run measures
// nothing twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "db/database.h"
#include "program_process.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class InterruptedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::copy(GKTUNE_SOURCE_DIR "/tests/cli/spaces", folder_.path(), fs::copy_options::recursive);
  }

  std::vector<Trial> trials() const {
    if (!fs::exists(database_)) return {};
    auto store = Database::open(database_, Database::Access::read);
    if (!store) return {};
    auto known = (*store)->trials(1);
    return known ? *std::move(known) : std::vector<Trial>{};
  }

  // Until so many trials are in the database.
  bool wait_for_trials(std::size_t count) const {
    for (int i = 0; i < 1000; ++i) {
      if (trials().size() >= count) return true;
      std::this_thread::sleep_for(50ms);
    }
    return false;
  }

  // Until the first of it is in the cache.
  bool wait_for_compiled_code() const {
    const auto is_code = [](const fs::directory_entry& entry) { return entry.path().extension() == ".code"; };
    for (int i = 0; i < 1000; ++i) {
      if (fs::exists(folder_ / ".cache")) {
        const fs::recursive_directory_iterator cache(folder_ / ".cache");
        if (std::any_of(begin(cache), end(cache), is_code)) return true;
      }
      std::this_thread::sleep_for(50ms);
    }
    return false;
  }

  std::string out() const { return contents_of(folder_ / "out"); }
  std::string err() const { return contents_of(folder_ / "err"); }

  ScratchFolder folder_;
  const std::string database_ = folder_.path("gktune.db");
  const std::string run_ = "exec gktune run many.yaml --device host --jobs 1";
};

TEST_F(InterruptedRun, ctrl_c_keeps_the_trials_and_says_how_to_continue) {
  ShellProcess run(folder_.path(), run_);
  ASSERT_TRUE(wait_for_trials(1)) << err();
  run.signal(SIGINT);
  EXPECT_EQ(run.wait(), 130);
  const std::size_t kept = trials().size();
  EXPECT_GE(kept, 1u);
  EXPECT_LT(kept, 64u);
  EXPECT_TRUE(contains(err(), "hint: the same command continues\n"));
}

TEST_F(InterruptedRun, a_kill_loses_no_finished_trial_and_the_next_run_repeats_none) {
  {
    ShellProcess run(folder_.path(), run_);
    ASSERT_TRUE(wait_for_trials(2)) << err();
    run.signal(SIGKILL);
    EXPECT_EQ(run.wait(), 128 + SIGKILL);
  }
  const std::vector<Trial> before = trials();
  ASSERT_GE(before.size(), 2u);
  const std::string goal = std::to_string(before.size() + 2);
  ShellProcess next(folder_.path(), run_ + " --trials " + goal);
  EXPECT_EQ(next.wait(), 0) << err();

  const std::vector<Trial> after = trials();
  EXPECT_EQ(std::to_string(after.size()), goal);
  std::set<std::string> configs;
  for (const Trial& trial : after) configs.insert(trial.config.json());
  EXPECT_EQ(configs.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i].ended_unix_ms, before[i].ended_unix_ms);
  EXPECT_TRUE(contains(out(), goal + " of 64 configurations tried, 2 of them now"));
}

TEST_F(InterruptedRun, ctrl_c_during_the_playoff_ends_the_run_and_the_next_run_holds_it) {
  ShellProcess run(folder_.path(), run_ + " --trials 5");
  ASSERT_TRUE(wait_for_trials(5)) << err();
  std::this_thread::sleep_for(200ms);
  run.signal(SIGINT);
  EXPECT_EQ(run.wait(), 130);
  EXPECT_FALSE(contains(out(), "playoff"));
  EXPECT_TRUE(contains(err(), "hint: the same command continues\n"));

  ShellProcess next(folder_.path(), run_ + " --trials 5");
  EXPECT_EQ(next.wait(), 0) << err();
  // On a busy machine some of the five are clearly slower than the best, and no finalists.
  EXPECT_TRUE(contains(out(), "times from the playoff: "));
}

TEST_F(InterruptedRun, a_check_that_ctrl_c_ends_says_how_much_it_checked) {
  ShellProcess check(folder_.path(), "exec gktune check many.yaml --device host --jobs 1");
  ASSERT_TRUE(wait_for_compiled_code()) << err();
  check.signal(SIGINT);
  EXPECT_EQ(check.wait(), 130);
  EXPECT_TRUE(contains(out(), " of 64 checked"));
  EXPECT_FALSE(contains(err(), "--sample"));
}

class SharedRun : public InterruptedRun {
 protected:
  // A run of its own folder, with the database of the other: each has its own output.
  std::string part(const std::string& name) const {
    return "exec >" + name + ".out 2>" + name + ".err && " + run_ + " --strategy exhaustive --only " + some_;
  }
  void expect_each_configuration_once() const {
    const std::vector<Trial> all = trials();
    EXPECT_EQ(all.size(), kSome);
    // Their numbers have no gap: no trial was replaced by another of its configuration.
    for (const Trial& trial : all)
      EXPECT_LE(trial.id, static_cast<std::int64_t>(kSome)) << trial.config.str();
  }

  static constexpr std::size_t kSome = 12;
  const std::string some_ = "threadsPerBlock=1,2,3,4,5,6,7,8,9,10,11,12";
};

TEST_F(SharedRun, a_program_finishes_the_tuning_of_a_killed_one_and_measures_each_configuration_once) {
  ShellProcess first(folder_.path(), part("first")), second(folder_.path(), part("second"));
  ASSERT_TRUE(wait_for_trials(2)) << contents_of(folder_ / "first.err")
                                  << contents_of(folder_ / "second.err");
  second.signal(SIGKILL);
  second.wait();
  EXPECT_EQ(first.wait(), 0) << contents_of(folder_ / "first.err");
  expect_each_configuration_once();
}

// Beyond `ulimit -f` the system sends SIGXFSZ.
TEST_F(InterruptedRun, a_limit_on_file_sizes_ends_the_run_with_a_message) {
  EXPECT_EQ(ShellProcess(folder_.path(), "ulimit -f 4; " + run_).wait(), 1);
  EXPECT_TRUE(contains(err(), "ulimit -f"));
  EXPECT_EQ(ShellProcess(folder_.path(), "ulimit -f 4; gktune check twice.yaml --device host").wait(), 1);
  EXPECT_TRUE(contains(err(), "ulimit -f"));
}

}  // namespace
}  // namespace gktune
