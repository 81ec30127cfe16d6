// No candidate affects another, and nothing outlives its trial.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <thread>

#include "fault_device.h"
#include "tests/scratch_folder.h"
#include "tests/worker/processes.h"

namespace gktune {
namespace {

constexpr const char* kLeaks = R"(
parameters: {LEAK: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22]}
options:
  - {flag: -Ofast, when: LEAK == 1}
time_limit: 20s
)";

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

TEST_P(Leaks, of_a_candidate_do_not_reach_the_next) {
  const Culprit& culprit = GetParam();
  WorkerDeviceOptions options = fault_options("host");
  options.cache_dir = std::filesystem::proximate(options.cache_dir).string();
  if (!culprit.is_timed) options.work = WorkerDeviceOptions::Work::check;
  const auto device = open_fault_device(fault_function_definition("leaking_function", kLeaks), options);
  ASSERT_NE(device, nullptr);
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
    ::testing::Values(Culprit{1, "floating_point_mode", {Status::ok}, "", true}, Culprit{2, "resource_limit"}, Culprit{3, "nice_value"},
                      Culprit{4, "affinity", {Status::ok}, "", true}, Culprit{5, "ignored_signals"}, Culprit{6, "umask"},
                      Culprit{7, "working_directory"},
                      // Its thread may run code that is unloaded.
                      Culprit{8, "running_thread", {Status::ok, Status::illegal_access, Status::crashed}, "", true},
                      Culprit{9, "closed_descriptors", {Status::ok, Status::crashed}},
                      Culprit{10, "timer", {Status::ok, Status::crashed}},
                      Culprit{11, "exit", {Status::crashed}, "exited with code 0"},
                      Culprit{12, "atexit", {Status::crashed}, "exited with code 7"},
                      Culprit{13, "longjmp", {Status::aborted, Status::illegal_access, Status::misaligned_access, Status::crashed}},
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

TEST(OutsideKills, of_the_process_of_a_candidate_are_not_blamed_on_it) {
  const auto device = open_checker();
  ASSERT_NE(device, nullptr);
  std::thread killer = killer_of("gktune-naps");
  const Trial trial = tried(*device, {{"LEAK", 19}});
  killer.join();
  EXPECT_EQ(trial.status, Status::ok) << trial.message;
}

TEST(OutsideKills, of_the_compilers_own_process_are_not_blamed_on_a_candidate) {
  const ScratchFolder cache;
  const auto device = open_checker(cache.path().string());
  ASSERT_NE(device, nullptr);
  std::thread killer = killer_of("cc1plus");
  const Trial trial = tried(*device, {{"LEAK", 0}});
  killer.join();
  EXPECT_EQ(trial.status, Status::ok) << trial.message;
}

TEST(OutsideKills, that_come_each_time_are_blamed_on_the_candidate) {
  const auto device = open_checker();
  ASSERT_NE(device, nullptr);
  for (const int leak : {20, 21}) {
    const Trial trial = tried(*device, {{"LEAK", leak}});
    EXPECT_EQ(status_name(trial.status), "crashed");
    EXPECT_EQ(trial.message, "killed by SIGKILL");
  }
  EXPECT_EQ(tried(*device, {{"LEAK", 0}}).status, Status::ok);
}

class Orphans : public ::testing::Test, NamedProcesses {};

TEST_F(Orphans, nothing_outlives_the_tuner) {
  const pid_t tuner = ::fork();
  if (tuner == 0) {
    const auto device =
        open_fault_device(fault_function_definition("leaking_function", kLeaks), fault_options("host"));
    if (device != nullptr) (void)tried(*device, {{"LEAK", 22}});
    ::_exit(0);
  }
  EXPECT_TRUE(eventually([] { return processes_called(process_name()).size() == 2; }));
  ::kill(tuner, SIGKILL);
  ::waitpid(tuner, nullptr, 0);
  EXPECT_TRUE(eventually([] { return processes_called(process_name()).empty(); }));
}

TEST_F(Orphans, nothing_outlives_a_device_that_is_closed_while_a_candidate_runs) {
  {
    const auto device =
        open_fault_device(fault_function_definition("leaking_function", kLeaks), fault_options("host"));
    ASSERT_NE(device, nullptr);
    std::thread watch([&] {
      EXPECT_TRUE(eventually([] { return processes_called(process_name()).size() == 2; }));
    });
    int asked = 0;
    (void)device->playoff({{"n", 1000}}, {{{"LEAK", 22}}}, {3}, [&](const auto&) {
      return processes_called(process_name()).size() < 2 && ++asked < 100;
    });
    watch.join();
  }
  EXPECT_TRUE(eventually([] { return processes_called(process_name()).empty(); }));
}

}  // namespace
}  // namespace gktune
