// No candidate affects another, and no process outlives its trial.

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "fault_device.h"
#include "tests/process/processes.h"
#include "tests/scratch_folder.h"
#include "tuner/device/worker/folders.h"
#include "tuner/process/outside_kills.h"

namespace gktune {
namespace {

constexpr const char* kLeaks = R"(
parameters: {LEAK: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]}
options:
  - {flag: -Ofast, when: LEAK == 1}
time_limit: 20s
)";

constexpr const char* kFiltered =
    "started a process, sent SIGKILL to itself, or signalled, traced or accessed a process that is not its "
    "own";

struct Culprit {
  int leak;
  const char* name;
  std::vector<Status> endings = {Status::ok};
  const char* message = "";
  bool is_timed = false;
};

void PrintTo(const Culprit& culprit, std::ostream* out) { *out << culprit.name; }

// The name that processes of this test's candidates take.
std::string process_name() { return "test-" + std::to_string(::getpid()); }

struct NamedProcesses {
  NamedProcesses() { ::setenv("GKTUNE_TEST_PROCESS", process_name().c_str(), 1); }
  ~NamedProcesses() { ::unsetenv("GKTUNE_TEST_PROCESS"); }
};

class Leaks : public ::testing::TestWithParam<Culprit>, NamedProcesses {};

TEST_P(Leaks, do_not_reach_the_next_candidate) {
  // The worker may not trace its processes, and LeakSanitizer waits for that when a candidate calls exit().
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  const Culprit& culprit = GetParam();
  WorkerDeviceOptions options = fault_options("host");
  options.cache_dir = std::filesystem::proximate(options.cache_dir).string();
  if (!culprit.is_timed) options.work = WorkerDeviceOptions::Work::check;
  const auto device = open_fault_device(fault_function_definition("leaking_function", kLeaks), options);
  const Trial before = tried(*device, {{"LEAK", 0}});
  ASSERT_EQ(before.status, Status::ok) << before.message;
  const Trial trial = tried(*device, {{"LEAK", culprit.leak}});
  EXPECT_TRUE(std::ranges::count(culprit.endings, trial.status) == 1)
      << status_name(trial.status) << ": " << trial.message;
  EXPECT_NE(trial.message.find(culprit.message), std::string::npos) << trial.message;
  EXPECT_TRUE(processes_where([](const auto& state) { return state.name == process_name(); }).empty());
  const Trial after = tried(*device, {{"LEAK", 0}});
  EXPECT_EQ(after.status, Status::ok) << after.message;
  EXPECT_EQ(!after.samples_us.empty(), culprit.is_timed);
}

INSTANTIATE_TEST_SUITE_P(
    , Leaks,
    ::testing::Values(
        Culprit{1, "floating_point_mode", {Status::ok}, "", true}, Culprit{2, "resource_limit"},
        Culprit{3, "nice_value"}, Culprit{4, "affinity", {Status::ok}, "", true},
        Culprit{5, "ignored_signals"}, Culprit{6, "umask"}, Culprit{7, "working_directory"},
        // Its thread may run code that is unloaded.
        Culprit{8, "running_thread", {Status::ok, Status::illegal_access, Status::crashed}, "", true},
        Culprit{9, "closed_descriptors", {Status::ok, Status::crashed}},
        Culprit{10, "timer", {Status::ok, Status::crashed}},
        Culprit{11, "exit", {Status::crashed}, "exited with code 0"},
        Culprit{12, "atexit", {Status::crashed}, "exited with code 7"},
        Culprit{13,
                "longjmp",
                {Status::aborted, Status::illegal_access, Status::misaligned_access, Status::crashed}},
        Culprit{14, "session"}, Culprit{15, "processes"},
        Culprit{16, "exit_with_a_process", {Status::crashed}, "exited with code 0"},
        Culprit{17, "file_size", {Status::crashed}, "killed by SIGXFSZ"},
        Culprit{18, "output", {Status::crashed}, "wrote more than"}),
    [](const auto& culprit) { return culprit.param.name; });

std::vector<pid_t> processes_called(const std::string& name) {
  return processes_where([&](const ProcessState& state) { return state.name == name; });
}

// Kills one process of that name as soon as there is one in the group of a worker.
std::thread killer_of(const std::string& name) {
  return std::thread([name, tuner = ::getpid()] {
    EXPECT_TRUE(eventually([&] {
      const auto found = processes_where([&](const ProcessState& state) {
        return state.name == name && process_state(state.group).parent == tuner;
      });
      return !found.empty() && ::kill(found.front(), SIGKILL) == 0;
    })) << name;
  });
}

// A device that checks the candidates of leaking_function and does not time them.
auto open_checker(const std::string& cache_dir = fault_options("host").cache_dir) {
  WorkerDeviceOptions options = fault_options("host");
  options.work = WorkerDeviceOptions::Work::check;
  options.cache_dir = cache_dir;
  return open_fault_device(fault_function_definition("leaking_function", kLeaks), options);
}

TEST(OutsideKills, are_not_blamed_on_the_candidate_whose_process_they_end) {
  const auto device = open_checker();
  std::thread killer = killer_of("gktune-naps");
  const Trial trial = tried(*device, {{"LEAK", 19}});
  killer.join();
  EXPECT_EQ(trial.status, Status::ok) << trial.message;
}

TEST(OutsideKills, are_not_blamed_on_a_candidate_whose_compiler_they_end) {
  const ScratchFolder cache;
  const auto device = open_checker(cache.path().string());
  std::thread killer = killer_of("cc1plus");
  const Trial trial = tried(*device, {{"LEAK", 0}});
  killer.join();
  EXPECT_EQ(trial.status, Status::ok) << trial.message;
}

// Kills `count` processes of that name in the group of a worker, one after the other.
std::thread persistent_killer_of(const std::string& name, int count) {
  return std::thread([name, count, tuner = ::getpid()] {
    std::vector<pid_t> killed;
    EXPECT_TRUE(eventually([&] {
      const auto found = processes_where([&](const ProcessState& state) {
        return state.name == name && process_state(state.group).parent == tuner;
      });
      for (const pid_t pid : found) {
        if (std::ranges::count(killed, pid) == 0 && ::kill(pid, SIGKILL) == 0) killed.push_back(pid);
      }
      return std::ssize(killed) >= count;
    })) << name
        << ' ' << killed.size();
  });
}

TEST(OutsideKills, are_not_blamed_on_a_candidate_that_they_end_each_time) {
  const auto device = open_checker();
  std::thread killer = persistent_killer_of("gktune-naps", kMostAttempts);
  const Trial trial = tried(*device, {{"LEAK", 19}});
  killer.join();
  EXPECT_EQ(status_name(trial.status), "machine_failed");
  EXPECT_TRUE(trial.message.starts_with("killed by SIGKILL from outside in 4 attempts")) << trial.message;
  EXPECT_EQ(tried(*device, {{"LEAK", 0}}).status, Status::ok);
}

TEST(OutsideKills, are_not_blamed_on_a_source_whose_compiler_they_end_each_time) {
  const ScratchFolder cache;
  const auto device = open_checker(cache.path().string());
  std::thread killer = persistent_killer_of("cc1plus", kMostAttempts);
  const Trial trial = tried(*device, {{"LEAK", 0}});
  killer.join();
  EXPECT_EQ(status_name(trial.status), "machine_failed");
  EXPECT_TRUE(
      trial.message.starts_with("the compiler was killed from outside in 4 attempts") ||
      trial.message.starts_with("the reference does not compile: the compiler was killed from outside"))
      << trial.message;
  EXPECT_EQ(tried(*device, {{"LEAK", 0}}).status, Status::ok);
}

TEST(OwnKills, are_distinguished_from_kills_from_outside) {
  const auto device = open_checker();
  for (const int leak : {20, 21, 23}) {
    const Trial trial = tried(*device, {{"LEAK", leak}});
    EXPECT_EQ(status_name(trial.status), "crashed") << leak;
    EXPECT_EQ(trial.message, kFiltered) << leak;
  }
  EXPECT_EQ(tried(*device, {{"LEAK", 0}}).status, Status::ok);
}

struct Attack {
  int attack;
  const char* name;
  Status status;
  const char* message;
};

void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }

class Attacks : public ::testing::TestWithParam<Attack> {};

TEST_P(Attacks, end_within_the_time_limit_and_leave_the_next_candidate_alone) {
  const Attack& attack = GetParam();
  constexpr const char* kSpace =
      "parameters: {ATTACK: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}\ntime_limit: 1s\n";
  WorkerDeviceOptions options = fault_options("host");
  options.fault_telling_s = 2;  // as gktune has it
  const auto device = open_fault_device(fault_function_definition("hostile_function", kSpace), options);
  const Trial before = tried(*device, {{"ATTACK", 0}});
  ASSERT_EQ(before.status, Status::ok) << before.message;
  const Trial trial = tried(*device, {{"ATTACK", attack.attack}});
  EXPECT_EQ(status_name(trial.status), status_name(attack.status)) << trial.message;
  EXPECT_TRUE(trial.message.starts_with(attack.message)) << trial.message;
  EXPECT_LT(trial.run_s, 3 * 1 + 2);
  const Trial after = tried(*device, {{"ATTACK", 0}});
  EXPECT_EQ(after.status, Status::ok) << after.message;
}

INSTANTIATE_TEST_SUITE_P(, Attacks,
                         ::testing::Values(Attack{1, "hang_in_a_later_execution", Status::timed_out,
                                                  "ran longer than 1 s"},
                                           Attack{2, "hang_in_a_constructor", Status::timed_out,
                                                  "loading or unloading it took longer than 1 s"},
                                           Attack{3, "hang_in_a_destructor", Status::timed_out,
                                                  "loading or unloading it took longer than 1 s"},
                                           Attack{4, "trace_the_parent", Status::crashed, kFiltered},
                                           Attack{5, "be_traced_by_the_parent", Status::crashed, kFiltered},
                                           Attack{6, "stop_the_parent", Status::crashed, kFiltered},
                                           Attack{7, "stop_the_tuner", Status::crashed, kFiltered},
                                           Attack{8, "write_to_the_parent", Status::crashed, kFiltered},
                                           Attack{9, "read_the_parent", Status::crashed, kFiltered},
                                           Attack{10, "open_the_memory_of_the_parent", Status::ok, ""},
                                           Attack{11, "stop_itself", Status::ok, ""}),
                         [](const auto& attack) { return attack.param.name; });

// The files of a candidate's process say when it shall begin to fail.
TEST(AttacksInThePlayoff, are_failures_of_the_candidate_that_is_executed) {
  constexpr const char* kSpace = "parameters: {ATTACK: [0, 12, 13, 14]}\ntime_limit: 1s\n";
  const ScratchFolder folder;
  const std::string file = folder.path("begin");
  ::setenv("GKTUNE_TEST_FILE", file.c_str(), 1);
  const auto device =
      open_fault_device(fault_function_definition("hostile_function", kSpace), fault_options("host"));
  std::vector<Config> configs;
  for (const int attack : {12, 0, 13, 14}) {
    configs.push_back({{"ATTACK", attack}});
    const Trial trial = tried(*device, configs.back());
    ASSERT_EQ(trial.status, Status::ok) << trial.message;
  }
  std::ofstream(file) << '\n';
  const auto finalists =
      device->playoff({{"n", 1000}}, configs, {.count = 6}, [](const auto&) { return true; });
  ::unsetenv("GKTUNE_TEST_FILE");
  for (const std::size_t innocent : {1u, 3u}) {
    EXPECT_EQ(finalists.at(innocent).status, Status::ok) << finalists[innocent].message;
    EXPECT_EQ(finalists[innocent].samples_us.size(), 6u);
  }
  EXPECT_EQ(status_name(finalists.at(0).status), "illegal_access") << finalists[0].message;
  EXPECT_EQ(status_name(finalists.at(2).status), "timed_out") << finalists[2].message;
  for (const std::size_t guilty : {0u, 2u}) EXPECT_TRUE(finalists[guilty].samples_us.empty());
}

TEST(FullDisk, is_emptied_before_the_next_candidate) {
  const ScratchFolder parent;
  const std::string small = parent.path("small");
  std::filesystem::create_directory(small);
  if (::mount("tmpfs", small.c_str(), "tmpfs", 0, "size=16m,mode=700") != 0) {
    GTEST_SKIP() << "a small file system can be mounted by root only";
  }
  {
    auto folder = RunFolder::make(small);
    WorkerDeviceOptions options = fault_options("host");
    options.work = WorkerDeviceOptions::Work::check;
    options.cache_dir = small;
    const Definition definition = fault_function_definition("leaking_function", kLeaks);
    auto device = WorkerDevice::open(definition.kernel, std::move(options), std::move(*folder));
    for (const int leak : {0, 24, 0}) {
      const Trial trial = tried(**device, {{"LEAK", leak}});
      EXPECT_EQ(trial.status, Status::ok) << leak << ": " << trial.message;
    }
    EXPECT_GT(std::filesystem::space(small).available, std::uintmax_t{8} << 20);
  }
  EXPECT_EQ(::umount(small.c_str()), 0);
}

class Orphans : public ::testing::Test, NamedProcesses {
 protected:
  // A process that tries a candidate which never ends and has a child in a session of its own.
  static pid_t start_tuner() {
    const pid_t tuner = ::fork();
    if (tuner != 0) return tuner;
    const auto device =
        open_fault_device(fault_function_definition("leaking_function", kLeaks), fault_options("host"));
    (void)tried(*device, {{"LEAK", 22}});
    ::_exit(0);
  }
};

TEST_F(Orphans, no_process_outlives_the_tuner) {
  const pid_t tuner = start_tuner();
  EXPECT_TRUE(eventually([] { return processes_called(process_name()).size() == 2; }));
  ::kill(tuner, SIGKILL);
  ::waitpid(tuner, nullptr, 0);
  EXPECT_TRUE(eventually([] { return processes_called(process_name()).empty(); }));
}

TEST_F(Orphans, no_process_outlives_a_device_that_is_closed_while_a_candidate_runs) {
  {
    const auto device =
        open_fault_device(fault_function_definition("leaking_function", kLeaks), fault_options("host"));
    bool has_both = false;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    (void)device->playoff({{"n", 1000}}, {{{"LEAK", 22}}}, {3}, [&](const auto&) {
      has_both = processes_called(process_name()).size() == 2;
      return !has_both && std::chrono::steady_clock::now() < give_up;
    });
    EXPECT_TRUE(has_both);
  }
  EXPECT_TRUE(eventually([] { return processes_called(process_name()).empty(); }));
}

}  // namespace
}  // namespace gktune
