#include "tuner/device/worker/worker_device.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "tests/expectations.h"
#include "tests/process/processes.h"
#include "tests/scratch_folder.h"
#include "tuner/core/quantity.h"

namespace gktune {
namespace {

Expression expression(const std::string& text) { return *Expression::parse(text); }

// A kernel whose candidates say how they end.
KernelDefinition kernel_definition() {
  KernelDefinition kernel;
  kernel.name = "script";
  kernel.source_path = "script.cu";
  kernel.source_text = "the same for all";
  kernel.parameter_names = {"COMPILE", "RUN", "number"};
  kernel.launches.emplace_back();
  return kernel;
}

Config config(const std::string& compile, const std::string& run, int number = 0) {
  return {{"COMPILE", compile}, {"RUN", run}, {"number", number}};
}

bool to_the_end(const std::vector<Samples>&) { return true; }

class WorkerDeviceTest : public ::testing::Test {
 protected:
  WorkerDeviceTest() {
    options_.backends = {{"host", 0}};
    options_.worker_argv = {GKTUNE_SCRIPTED_WORKER, folder_.path("refusals")};
    options_.compile_time_limit_s = 10;
    kernel_.time_limit_s = 10;
  }

  void open() {
    auto device = WorkerDevice::open(kernel_, options_);
    device_ = std::move(*device);
  }

  std::vector<Samples> samples_of_playoff(std::vector<Config> finalists, Rounds rounds,
                                          const PlayoffWatch& go_on) {
    std::vector<Samples> samples;
    for (Trial& trial : device_->playoff({}, std::move(finalists), rounds, go_on))
      samples.push_back(std::move(trial.samples_us));
    return samples;
  }

  Trial tried(const std::string& compile, const std::string& run) {
    if (!device_) open();
    device_->submit({config(compile, run), {}});
    return device_->next();
  }

  // The pool compiles sources of one text together after it knows the cost of one alone.
  void learn_cost_alone() {
    for (int i = 0; i < 5; ++i) EXPECT_EQ(tried("ok", "ok").status, Status::ok);
  }

  // The process of a candidate must start with the candidate's number as its number of threads.
  void number_is_a_setting() { kernel_.environment.push_back({"OMP_NUM_THREADS", expression("number")}); }

  // No worker of that role gets ready from now on.
  void refuse(const std::string& role) { folder_.write("refusals", role); }

  ScratchFolder folder_;
  KernelDefinition kernel_ = kernel_definition();
  WorkerDeviceOptions options_;
  std::unique_ptr<WorkerDevice> device_;
};

TEST_F(WorkerDeviceTest, a_good_candidate_becomes_a_trial_with_all_its_numbers) {
  const Trial trial = tried("ok", "ok");
  EXPECT_EQ(trial.status, Status::ok) << trial.message;
  EXPECT_EQ(trial.config, config("ok", "ok"));
  EXPECT_EQ(trial.samples_us, (Samples{3, 1, 2}));
  EXPECT_DOUBLE_EQ(trial.timing.median_us, 2);
  EXPECT_DOUBLE_EQ(trial.compile_s, 1e-6);
  EXPECT_DOUBLE_EQ(trial.run_s, 0.002);
  EXPECT_GT(trial.objective, 0);
  EXPECT_GT(trial.started_unix_ms, 0);
  EXPECT_GE(trial.ended_unix_ms, trial.started_unix_ms);
  EXPECT_EQ(device_->info().name, "script");
}

TEST_F(WorkerDeviceTest, the_cutoff_reaches_the_runner) {
  open();
  const auto cutoff = std::make_shared<Cutoff>();
  device_->submit({config("ok", "ok"), {}, cutoff});
  EXPECT_FALSE(device_->next().is_dropped_early);
  device_->submit({config("slow", "ok"), {}, cutoff});
  cutoff->leader.median_us = 0.5;  // learned while it is compiled
  EXPECT_TRUE(device_->next().is_dropped_early);
}

struct Case {
  std::string compile, run;
  Status status;
  std::string message;
  double compile_limit_s = 10, run_limit_s = 10;
};

class Endings : public WorkerDeviceTest, public ::testing::WithParamInterface<Case> {};

TEST_P(Endings, have_their_own_status_and_do_not_affect_the_next_candidate) {
  const Case& ending = GetParam();
  options_.compile_time_limit_s = ending.compile_limit_s;
  kernel_.time_limit_s = ending.run_limit_s;
  const Trial trial = tried(ending.compile, ending.run);
  EXPECT_EQ(status_name(trial.status), status_name(ending.status));
  EXPECT_TRUE(contains(trial.message, ending.message));
  EXPECT_EQ(tried("ok", "at_once").status, Status::ok);
}

INSTANTIATE_TEST_SUITE_P(
    , Endings,
    ::testing::Values(
        Case{"fail", "ok", Status::compile_failed, "error on line 3, batch of 1"},
        Case{"garbage", "ok", Status::compile_failed, "line \xef\xbf\xbd: caf\xc3\xa9\xef\xbf\xbd"},
        Case{"hang", "ok", Status::compile_timed_out, "compiling took longer than 1 s", 1},
        Case{"grandchild", "ok", Status::compile_timed_out, "compiling took longer than 1 s", 1},
        Case{"crash", "ok", Status::crashed, "the compiler: killed by SIGILL"},
        Case{"ok", "hang", Status::timed_out, "ran longer than 0.1 s", 10, 0.1},
        Case{"ok", "spin", Status::timed_out, "ran longer than 0.1 s", 10, 0.1},
        Case{"ok", "hang_reference", Status::reference_failed, "the reference: ran longer than 2 s", 10, 0.1},
        Case{"ok", "crash_reference", Status::reference_failed, "the reference: killed by SIGSEGV"},
        Case{"ok", "hang_verifier", Status::wrong_result,
             "the verifier fails on this output: ran longer than 2 s", 10, 0.1},
        Case{"ok", "crash_verifier", Status::wrong_result,
             "the verifier fails on this output: killed by SIGSEGV"},
        Case{"ok", "segv", Status::illegal_access, "killed by SIGSEGV"},
        Case{"ok", "abort", Status::aborted, "killed by SIGABRT: kernel.cu:7: assertion failed"},
        Case{"ok", "fpe", Status::crashed, "killed by SIGFPE"},
        Case{"ok", "exit", Status::crashed, "exited with code 3"},
        Case{"ok", "fault", Status::misaligned_access, "block (1,0,0), thread (2,0,0)"},
        Case{"ok", "two_faults", Status::illegal_access, "the first"},
        Case{"ok", "hang_up", Status::crashed, "killed by SIGKILL"},
        Case{"ok", "garbage", Status::crashed, "killed by SIGKILL"}, Case{"ok", "print", Status::ok, ""},
        Case{"ok", "wrong", Status::wrong_result, ""}, Case{"ok", "lost", Status::illegal_access, ""}),
    [](const auto& ending) { return ending.param.compile + "_" + ending.param.run; });

// The second run uses buffers between zones with a pattern.
TEST_F(WorkerDeviceTest, a_candidate_is_run_again_to_find_the_place_of_its_fault) {
  const Trial write = tried("ok", "unexplained_write");
  EXPECT_TRUE(ended(write, Status::guard_violated, "wrote outside"));
  EXPECT_TRUE(write.samples_us.empty());
  const Trial read = tried("ok", "unexplained_read");
  EXPECT_TRUE(ended(
      read, Status::illegal_access,
      "an illegal access; it wrote to no input and nothing beside a buffer, so it may have read there"));
  EXPECT_TRUE(read.samples_us.empty());
  EXPECT_EQ(tried("ok", "at_once").status, Status::ok);
}

TEST_F(WorkerDeviceTest, the_trial_contains_the_output_of_the_check) {
  EXPECT_EQ(tried("ok", "print_briefly").printed, "from the check\n");
  EXPECT_EQ(tried("ok", "ok").printed, "");
}

TEST_F(WorkerDeviceTest, an_error_names_a_reference_or_a_verifier_that_does_not_compile) {
  kernel_.reference.emplace().path = "broken_reference";
  kernel_.reference->launches.emplace_back();
  EXPECT_TRUE(ended(tried("ok", "ok"), Status::reference_failed,
                    "the reference does not compile: error on line 3, batch of 1"));
  device_.reset();
  kernel_.verifier.emplace(*kernel_.reference);
  kernel_.reference.reset();
  EXPECT_TRUE(ended(tried("ok", "ok"), Status::reference_failed,
                    "the verifier does not compile: error on line 3, batch of 1"));
}

TEST_F(WorkerDeviceTest, blames_no_configuration_for_an_error_in_a_source_that_the_reference_shares) {
  kernel_.source_path = "broken_reference";  // no path of the reference: it is in the kernel's source
  kernel_.reference.emplace().launches.emplace_back();
  EXPECT_TRUE(ended_with(tried("ok", "ok"), Status::reference_failed,
                         "the kernel and the reference do not compile: error on line 3"));
}

TEST_F(WorkerDeviceTest, blames_a_configuration_that_does_not_compile_if_the_reference_compiles) {
  kernel_.reference.emplace().launches.emplace_back();
  EXPECT_TRUE(ended_with(tried("fail", "ok"), Status::compile_failed, "error on line 3"));
  device_.reset();
  kernel_.reference->path = "broken_reference";
  EXPECT_EQ(tried("fail", "ok").status, Status::compile_failed);
}

TEST_F(WorkerDeviceTest, an_error_names_a_reference_that_cannot_be_launched) {
  kernel_.reference.emplace().path = "reference.cu";
  kernel_.reference->launches.emplace_back().block[0] = expression("1 // 0");
  EXPECT_TRUE(ended(tried("ok", "ok"), Status::reference_failed,
                    "the reference: launch of '': block '1 // 0': division by zero"));
}

TEST_F(WorkerDeviceTest, the_output_of_a_candidate_does_not_appear_in_the_next_trial) {
  EXPECT_EQ(tried("ok", "print").status, Status::ok);
  EXPECT_EQ(tried("ok", "segv").message, "killed by SIGSEGV");
}

TEST_F(WorkerDeviceTest, a_job_over_its_time_limit_reports_where_it_is) {
  options_.fault_telling_s = 10;
  kernel_.time_limit_s = 0.1;
  const Trial trial = tried("ok", "hang_with_an_answer");
  EXPECT_TRUE(ended(trial, Status::timed_out, "ran longer than 0.1 s, block (1,0,0), kernel.cu:7"));
  EXPECT_LT(trial.run_s, 5);
}

TEST_F(WorkerDeviceTest, a_job_that_does_not_answer_is_ended) {
  options_.fault_telling_s = 0.2;
  kernel_.time_limit_s = 0.1;
  const Trial trial = tried("ok", "hang");
  EXPECT_EQ(trial.message, "ran longer than 0.1 s");
  EXPECT_GE(trial.run_s, 0.3);
}

TEST_F(WorkerDeviceTest, a_worker_that_lives_on_serves_the_next_candidate_and_a_lost_one_is_replaced) {
  const std::string first = tried("ok", "ok").message;
  EXPECT_EQ(tried("ok", "wrong").message, first);
  EXPECT_EQ(tried("ok", "lost").message, first);
  EXPECT_NE(tried("ok", "ok").message, first);
}

class SendsAhead : public WorkerDeviceTest {
 protected:
  SendsAhead() { options_.sends_ahead_below_s = 60; }
};

TEST_F(SendsAhead, a_worker_begins_the_next_candidate_on_its_own) {
  const std::string file = folder_.path("begun");
  EXPECT_TRUE(tried("ok", "ok").ok());
  for (const std::string& run : {std::string("nap"), std::string("doze_ok"), "write:" + file})
    device_->submit({config("ok", run), {}});
  EXPECT_TRUE(device_->next().ok());  // while it napped, the second one was compiled and sent
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(file); }));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(device_->next().ok());
}

TEST_F(SendsAhead, a_candidate_survives_the_end_of_the_worker_that_had_it) {
  options_.fault_telling_s = 0.1;
  kernel_.time_limit_s = 0.3;
  for (const auto& [run, status] : {std::pair("doze_segv", Status::illegal_access),
                                    {"doze_abort", Status::aborted},
                                    {"doze_lost", Status::illegal_access},
                                    {"doze_hang", Status::timed_out},
                                    {"doze_hang_up", Status::crashed},
                                    {"doze_kill", Status::machine_failed},
                                    {"doze_unexplained_write", Status::guard_violated},
                                    {"doze_wrong", Status::wrong_result}}) {
    EXPECT_TRUE(tried("ok", "ok").ok());
    const std::vector<std::string> runs{"doze_", run, "ok", "wrong", "ok"};
    for (const std::string& each : runs) device_->submit({config("ok", each), {}});
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Trial trial = device_->next();
      const std::string& its = trial.config.find("RUN")->text();
      const Status expected = its == run ? status : its == "wrong" ? Status::wrong_result : Status::ok;
      EXPECT_EQ(status_name(trial.status), status_name(expected))
          << its << " beside " << run << ": " << trial.message;
    }
  }
}

TEST_F(SendsAhead, no_candidate_is_sent_ahead_without_a_leader_or_behind_a_long_one) {
  options_.sends_ahead_below_s = 0.2;
  const std::string file = folder_.path("begun");
  EXPECT_TRUE(tried("ok", "ok").ok());
  const auto cutoff = std::make_shared<Cutoff>();
  const auto begins_alone = [&](std::shared_ptr<const Cutoff> its, const std::string& first) {
    std::filesystem::remove(file);
    device_->submit({config("ok", first), {}});
    device_->submit({config("ok", "doze_ok"), {}});
    device_->submit({config("ok", "write:" + file), {}, std::move(its)});
    EXPECT_TRUE(device_->next().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const bool has_begun = std::filesystem::exists(file);
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(device_->next().ok());
    return has_begun;
  };
  EXPECT_FALSE(begins_alone(cutoff, "doze_ok"));
  EXPECT_FALSE(begins_alone(nullptr, "nap"));
  cutoff->leader.median_us = 2;
  EXPECT_TRUE(tried("ok", "ok").ok());
  EXPECT_TRUE(begins_alone(cutoff, "doze_ok"));
}

// Sends SIGKILL to a worker of that name as soon as there is one.
std::thread killer_of(const std::string& name, int times) {
  return std::thread([name, times, tuner = ::getpid()] {
    pid_t last = 0;
    for (int i = 0; i < times; ++i) {
      EXPECT_TRUE(eventually([&] {
        const auto found = processes_where(
            [&](const ProcessState& state) { return state.parent == tuner && state.name == name; });
        if (found.empty() || found.front() == last) return false;
        last = found.front();
        return ::kill(last, SIGKILL) == 0;
      })) << name;
    }
  });
}

TEST_F(WorkerDeviceTest, a_candidate_is_not_blamed_for_a_run_worker_killed_from_outside) {
  open();
  std::thread killer = killer_of("gktune-runs", 2);
  const Trial trial = tried("ok", "nap");
  killer.join();
  EXPECT_EQ(trial.status, Status::ok) << trial.message;
}

TEST_F(WorkerDeviceTest, candidates_are_not_blamed_for_a_compile_worker_killed_from_outside) {
  options_.batch = 2;
  learn_cost_alone();
  std::thread killer = killer_of("gktune-compiles", 2);
  for (int i = 0; i < 2; ++i) device_->submit({config("slow", "ok", i), {}});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(ended_with(device_->next(), Status::ok, "batch 2"));
  killer.join();
}

TEST_F(WorkerDeviceTest, a_candidate_that_is_killed_each_time_is_not_judged) {
  EXPECT_TRUE(ended_with(tried("ok", "kill"), Status::machine_failed,
                         "killed by SIGKILL from outside in 4 attempts"));
  EXPECT_TRUE(ended_with(tried("kill", "ok"), Status::machine_failed,
                         "the compiler: killed by SIGKILL from outside in 4 attempts"));
  EXPECT_EQ(tried("ok", "ok").status, Status::ok);
}

TEST_F(WorkerDeviceTest, similar_sources_are_compiled_together) {
  options_.batch = 4;
  learn_cost_alone();
  for (const int count : {2, 4}) {
    const std::string batch = "batch " + std::to_string(count);
    for (int i = 0; i < count; ++i) device_->submit({config("ok", "ok", i), {}});
    for (int i = 0; i < count; ++i) EXPECT_TRUE(contains(device_->next().message, batch));
  }
}

TEST(CandidatesAhead, are_as_many_as_the_hardware_runs_while_one_is_compiled) {
  EXPECT_EQ(candidates_ahead(0.3, 0.05, 64), 6u);
  EXPECT_EQ(candidates_ahead(0.01, 1, 64), 4u);
  EXPECT_EQ(candidates_ahead(0.3, 0.003, 64), 64u);
  EXPECT_EQ(candidates_ahead(0.3, 0.003, 2), 4u);
  EXPECT_EQ(candidates_ahead(0, 0, 64), 4u);
}

TEST_F(WorkerDeviceTest, the_candidate_that_fails_a_batch_is_found) {
  options_.batch = 4;
  options_.compile_time_limit_s = 1;
  for (const char* spoiler : {"fail", "hang", "crash"}) {
    open();
    learn_cost_alone();
    for (int i = 0; i < 4; ++i) device_->submit({config(i == 2 ? spoiler : "ok", "ok", i), {}});
    std::map<Status, int> endings;
    for (int i = 0; i < 4; ++i) {
      const Trial trial = device_->next();
      ++endings[trial.status];
      EXPECT_EQ(trial.status == Status::ok, trial.config != config(spoiler, "ok", 2)) << spoiler;
      if (trial.status == Status::compile_failed) {
        EXPECT_EQ(trial.message, "error on line 3, batch of 1");
      }
    }
    EXPECT_EQ(endings[Status::ok], 3) << spoiler;
  }
}

TEST_F(WorkerDeviceTest, each_of_many_candidates_of_all_kinds_comes_back_once) {
  options_.jobs = 3;
  options_.batch = 3;
  open();
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"ok", "ok"}, {"fail", "ok"}, {"ok", "segv"}, {"ok", "wrong"}, {"crash", "ok"}, {"ok", "lost"}};
  std::map<int, int> seen;
  int submitted = 0;
  std::size_t in_flight = 0;
  while (submitted < 60 || in_flight > 0) {
    while (submitted < 60 && in_flight < device_->capacity()) {
      const auto& [compile, run] = kinds[static_cast<std::size_t>(submitted) % kinds.size()];
      device_->submit({config(compile, run, submitted++), {}});
      ++in_flight;
    }
    ++seen[static_cast<int>(device_->next().config.find("number")->integer())];
    --in_flight;
  }
  EXPECT_EQ(seen.size(), 60u);
}

TEST_F(WorkerDeviceTest, a_no_ends_the_wait_and_drops_all_candidates_after_a_second) {
  kernel_.time_limit_s = 60;
  open();
  for (const char* ending : {"hang", "ok", "hang"}) device_->submit({config("ok", ending), {}});
  const auto begin = std::chrono::steady_clock::now();
  int asked = 0;
  EXPECT_FALSE(device_->next_while([&] { return ++asked < 3; }));
  EXPECT_GE(seconds_since(begin), 1);
  EXPECT_LT(seconds_since(begin), 3);
  EXPECT_EQ(device_->withdraw(), 0u);
  EXPECT_TRUE(tried("ok", "ok").ok());
}

TEST_F(WorkerDeviceTest, a_candidate_that_ends_in_the_second_after_a_no_is_a_trial) {
  open();
  device_->submit({config("ok", "slow"), {}});
  const auto trial = device_->next_while([] { return false; });
  EXPECT_TRUE(trial && trial->ok());
}

TEST_F(WorkerDeviceTest, a_candidate_that_has_not_started_can_be_withdrawn) {
  open();
  for (int i = 0; i < 8; ++i) device_->submit({config("ok", "slow", i), {}});
  EXPECT_TRUE(device_->next().ok());
  const std::size_t withdrawn = device_->withdraw();
  EXPECT_GE(withdrawn, 5u);  // one has run, one runs, one may be through by now
  for (std::size_t left = 7 - withdrawn; left > 0; --left) EXPECT_TRUE(device_->next().ok());
  EXPECT_EQ(device_->withdraw(), 0u);
  EXPECT_TRUE(tried("ok", "ok").ok());
}

TEST_F(WorkerDeviceTest, a_plan_that_cannot_be_formed_is_an_invalid_trial) {
  kernel_.environment.push_back({"OMP_NUM_THREADS", expression("1 // 0")});
  EXPECT_TRUE(ended_with(tried("ok", "ok"), Status::invalid, "OMP_NUM_THREADS"));
}

TEST_F(WorkerDeviceTest, an_environment_variable_is_set_when_its_process_starts) {
  number_is_a_setting();
  open();
  for (int i : {3, 3, 5}) {
    device_->submit({config("ok", "ok", i), {}});
    EXPECT_TRUE(contains(device_->next().message, "threads " + std::to_string(i)));
  }
}

TEST_F(WorkerDeviceTest, settings_that_no_worker_starts_with_fail_their_configuration) {
  number_is_a_setting();
  open();
  for (int i : {3, 13, 5}) {
    device_->submit({config("ok", "ok", i), {}});
    const Trial trial = device_->next();
    EXPECT_EQ(status_name(trial.status), i == 13 ? "crashed" : "ok") << trial.message;
  }
}

TEST_F(WorkerDeviceTest, compilers_rest_while_candidates_run_on_their_cores) {
  options_.compiles_while_timing = false;
  options_.jobs = 2;
  options_.batch = 1;
  open();
  // Each candidate answers with the number of compilers at work.
  for (int i = 0; i < 6; ++i) device_->submit({config("slow", "watch", i), {}});
  for (int i = 0; i < 6; ++i) EXPECT_EQ(device_->next().message, "0");
}

// The greatest number of compilers that work at once on candidates that take long to compile.
std::size_t most_compilers(Device& device) {
  std::size_t most = 0;
  for (int i = 0; i < 30; ++i) {
    device.submit({config("slow", "ok", i), {}});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    most = std::max(most, static_cast<std::size_t>(count_children(::getpid(), "gktune-compiles")));
  }
  return most;
}

TEST_F(WorkerDeviceTest, fewer_compilers_work_while_compiled_candidates_wait) {
  options_.jobs = 3;
  options_.jobs_while_waiting = 1;
  open();
  EXPECT_EQ(most_compilers(*device_), 3u);
  device_->withdraw();

  open();
  for (int i = 0; i < 4; ++i) device_->submit({config("ok", "nap", i), {}});
  EXPECT_TRUE(eventually([&] {  // one runs, the others wait
    device_->submit({config("fail", "ok"), {}});
    return count_children(::getpid(), "gktune-runs") > 0;
  }));
  EXPECT_EQ(most_compilers(*device_), 1u);
}

TEST_F(WorkerDeviceTest, no_withdrawn_candidate_is_compiled_while_finalists_are_timed) {
  options_.jobs = 3;
  options_.batch = 1;
  options_.compile_time_limit_s = 60;
  open();
  for (int i = 0; i < 2; ++i) device_->submit({config("hang", "ok", i), {}});
  const auto both_compile = [&] {
    device_->submit({config("ok", "ok"), {}});
    EXPECT_TRUE(device_->next().ok());
    return count_children(::getpid(), "gktune-compiles") == 2;
  };
  ASSERT_TRUE(eventually(both_compile));
  EXPECT_EQ(device_->withdraw(), 2u);
  EXPECT_EQ(samples_of_playoff({config("ok", "watch")}, {3}, to_the_end).at(0), Samples(3, 0.0));
}

TEST_F(WorkerDeviceTest, a_check_takes_no_samples_and_a_compilation_runs_nothing) {
  options_.work = WorkerDeviceOptions::Work::check;
  EXPECT_TRUE(tried("ok", "ok").samples_us.empty());
  EXPECT_EQ(tried("ok", "wrong").status, Status::wrong_result);
  device_.reset();
  options_.work = WorkerDeviceOptions::Work::compile;
  EXPECT_EQ(tried("ok", "segv").status, Status::ok);
  EXPECT_EQ(tried("fail", "segv").status, Status::compile_failed);
}

TEST_F(WorkerDeviceTest, hardware_that_does_not_answer_is_not_a_device) {
  refuse("describe");
  EXPECT_EQ(message_of(WorkerDevice::open(kernel_, options_)), "there is no such device");
}

TEST_F(WorkerDeviceTest, a_known_device_starts_no_worker_before_the_first_candidate) {
  DeviceInfo info;
  info.kind = "host";
  info.name = "script";
  options_.info = info;
  refuse("describe");
  open();
  EXPECT_EQ(device_->info().name, "script");
  EXPECT_TRUE(child_processes(::getpid()).empty());
  EXPECT_EQ(tried("ok", "ok").status, Status::ok);
}

TEST_F(WorkerDeviceTest, a_device_that_differs_from_the_known_one_runs_nothing) {
  DeviceInfo info;
  info.kind = "host";
  info.name = "an older card";
  options_.info = info;
  EXPECT_TRUE(ended(tried("ok", "ok"), Status::machine_failed,
                    "the device is script, no longer an older card: run gktune again"));
}

TEST_F(WorkerDeviceTest, a_worker_in_reserve_starts_after_the_first_lost_worker) {
  options_.jobs = 1;
  EXPECT_EQ(tried("ok", "long").status, Status::ok);
  EXPECT_EQ(child_processes(::getpid()).size(), 2u);  // the compiler and the runner
  EXPECT_EQ(tried("ok", "segv").status, Status::illegal_access);
  EXPECT_EQ(tried("ok", "ok").status, Status::ok);
  EXPECT_EQ(child_processes(::getpid()).size(), 3u);
}

TEST_F(WorkerDeviceTest, an_error_names_a_missing_program) {
  options_.worker_argv = {"/nonexistent/gktune"};
  EXPECT_EQ(message_of(WorkerDevice::open(kernel_, options_)),
            "/nonexistent/gktune cannot be started: No such file or directory");
}

TEST_F(WorkerDeviceTest, compile_workers_that_never_get_ready_end_every_candidate) {
  refuse("compile");
  const Trial first = tried("ok", "ok"), second = tried("ok", "ok");
  EXPECT_TRUE(
      ended(first, Status::machine_failed, "no compile worker can be started: there is no such device"));
  EXPECT_EQ(second.message, first.message);
}

TEST_F(WorkerDeviceTest, run_workers_that_no_longer_get_ready_end_every_candidate) {
  EXPECT_EQ(tried("ok", "ok").status, Status::ok);
  refuse("run");
  EXPECT_EQ(tried("ok", "segv").status, Status::illegal_access);
  EXPECT_TRUE(
      ended(tried("ok", "ok"), Status::machine_failed, "no worker can be started: there is no such device"));
}

// Two devices of one model.
class TwoDevices : public WorkerDeviceTest {
 protected:
  TwoDevices() { options_.backends = {{"host", 0}, {"host", 1}}; }

  // Submits all candidates at once and returns their trials in the order of their numbers.
  std::vector<Trial> tried_all(const std::vector<std::string>& runs) {
    int number = 0;
    for (const std::string& run : runs) device_->submit({config("ok", run, number++), {}});
    std::vector<std::optional<Trial>> slots(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Trial trial = device_->next();
      auto& slot = slots.at(static_cast<std::size_t>(trial.config.find("number")->integer()));
      EXPECT_FALSE(slot.has_value()) << "twice: " << trial.config.str();
      slot = std::move(trial);
    }
    std::vector<Trial> trials;
    for (auto& slot : slots) trials.push_back(slot.value_or(Trial()));
    return trials;
  }
  // Number of candidates that each device ran.
  static std::map<std::string, int> shares(const std::vector<Trial>& trials) {
    std::map<std::string, int> counts;
    for (const Trial& trial : trials) ++counts[trial.message.substr(trial.message.find("device "))];
    return counts;
  }
};

TEST_F(TwoDevices, share_the_work) {
  open();
  const auto trials = tried_all(std::vector<std::string>(6, "slow"));
  for (const Trial& trial : trials) EXPECT_EQ(trial.status, Status::ok) << trial.message;
  const auto counts = shares(trials);
  EXPECT_EQ(counts.size(), 2u);
  for (const auto& [device, count] : counts) EXPECT_GE(count, 2) << device;
}

TEST_F(TwoDevices, are_refused_if_their_models_differ) {
  options_.backends = {{"host", 0}, {"host", 2}};
  EXPECT_EQ(message_of(WorkerDevice::open(kernel_, options_)),
            "several devices can only be used together where they are of one model; here are script and "
            "other script");
}

TEST_F(TwoDevices, continue_when_the_worker_of_one_dies) {
  open();
  const auto trials = tried_all({"segv", "slow", "slow", "lost", "slow", "abort", "slow", "slow"});
  for (const Trial& trial : trials) {
    EXPECT_EQ(trial.status == Status::ok, *trial.config.find("RUN") == Value("slow")) << trial.message;
  }
}

TEST_F(TwoDevices, continue_as_one_when_the_other_no_longer_gets_ready) {
  open();
  refuse("run:1");
  for (const Trial& trial : tried_all(std::vector<std::string>(4, "segv"))) {
    EXPECT_EQ(trial.status, Status::illegal_access) << trial.message;
  }
  const auto trials = tried_all(std::vector<std::string>(8, "ok"));
  for (const Trial& trial : trials) EXPECT_EQ(trial.status, Status::ok) << trial.message;
  EXPECT_EQ(shares(trials), (std::map<std::string, int>{{"device 0", 8}}));
  EXPECT_EQ(samples_of_playoff({config("ok", "ok")}, {7}, to_the_end).at(0), Samples(7, 1.0));
}

TEST_F(WorkerDeviceTest, finalists_are_timed_for_as_many_rounds_as_asked_for) {
  open();
  const auto samples =
      samples_of_playoff({config("ok", "ok"), config("fail", "ok"), config("ok", "slow")}, {7}, to_the_end);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0], Samples(7, 1.0));
  EXPECT_TRUE(samples[1].empty());
  EXPECT_EQ(samples[2], Samples(7, 2.0));
}

TEST_F(WorkerDeviceTest, finalists_with_different_settings_take_turns) {
  number_is_a_setting();
  open();
  const auto samples = samples_of_playoff({config("ok", "ok", 1), config("ok", "slow", 2)}, {7}, to_the_end);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0], Samples(7, 1.0));
  EXPECT_EQ(samples[1], Samples(7, 2.0));
}

TEST_F(WorkerDeviceTest, a_finalist_that_kills_its_worker_or_fails_fails_alone) {
  for (const auto& [action, status] : {std::pair("segv", Status::illegal_access),
                                       {"lost", Status::illegal_access},
                                       {"remembers", Status::wrong_result}}) {
    open();
    const auto finalists = device_->playoff(
        {}, {config("ok", "ok"), config("ok", action), config("ok", "slow"), config("ok", action, 2)}, {7},
        to_the_end);
    ASSERT_EQ(finalists.size(), 4u);
    for (const std::size_t i : {0u, 2u}) {
      EXPECT_EQ(finalists[i].status, Status::ok) << finalists[i].message;
      EXPECT_EQ(finalists[i].samples_us, Samples(7, i == 0 ? 1.0 : 2.0));
    }
    for (const std::size_t i : {1u, 3u}) {
      EXPECT_EQ(finalists[i].status, status) << finalists[i].message;
      EXPECT_TRUE(finalists[i].samples_us.empty());
    }
    EXPECT_EQ(tried("ok", "ok").status, Status::ok);
  }
}

TEST_F(WorkerDeviceTest, a_worker_that_dies_in_nobodys_turn_blames_no_finalist) {
  open();
  const auto finalists =
      device_->playoff({}, {config("ok", "segv_before_its_turn"), config("ok", "ok")}, {7}, to_the_end);
  for (const Trial& finalist : finalists) EXPECT_EQ(finalist.status, Status::machine_failed);
  EXPECT_EQ(tried("ok", "ok").status, Status::ok);
}

TEST_F(WorkerDeviceTest, a_playoff_that_is_stopped_while_a_finalist_hangs_ends_at_once) {
  open();
  int asked = 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto samples = samples_of_playoff({config("ok", "ok"), config("ok", "hang")}, {7},
                                          [&](const auto&) { return ++asked < 5; });
  EXPECT_EQ(samples, std::vector<Samples>(2));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(tried("ok", "ok").status, Status::ok);
}

TEST_F(WorkerDeviceTest, a_playoff_that_is_stopped_while_a_finalist_compiles_ends_at_once) {
  open();
  const auto samples =
      samples_of_playoff({config("ok", "ok"), config("hang", "ok")}, {7}, [](const auto&) { return false; });
  EXPECT_EQ(samples, std::vector<Samples>(2));
  EXPECT_EQ(tried("ok", "ok").status, Status::ok);
}

TEST_F(WorkerDeviceTest, a_playoff_that_ends_early_keeps_its_complete_rounds) {
  open();
  std::vector<std::size_t> rounds_done;
  const auto samples = samples_of_playoff({config("ok", "ok"), config("ok", "slow")}, {7},
                                          [&](const std::vector<Samples>& so_far) {
                                            rounds_done.push_back(rounds_of(so_far));
                                            return rounds_done.back() < 3;
                                          });
  EXPECT_EQ(samples, (std::vector<Samples>{Samples(3, 1.0), Samples(3, 2.0)}));
  EXPECT_EQ(rounds_done.front(), 0u);
  EXPECT_EQ(rounds_done.back(), 3u);
}

TEST_F(WorkerDeviceTest, a_playoff_begins_no_round_after_its_time) {
  open();
  const auto samples = samples_of_playoff({config("ok", "ok"), config("ok", "slow")}, {1000, 0},
                                          [](const auto&) { return true; });
  EXPECT_EQ(samples, (std::vector<Samples>{Samples(3, 1.0), Samples(3, 2.0)}));
}

TEST_F(WorkerDeviceTest, busy_time_is_counted) {
  tried("slow", "slow");
  const Usage usage = device_->usage();
  EXPECT_GE(usage.compile_busy_s, 0.3);
  EXPECT_GE(usage.run_busy_s, 0.3);
  EXPECT_GE(usage.wall_s, 0.6);
}

TEST_F(WorkerDeviceTest, destruction_with_work_in_flight_leaves_no_processes) {
  options_.jobs = 2;
  options_.batch = 1;
  options_.compile_time_limit_s = 60;
  kernel_.time_limit_s = 60;
  open();
  device_->submit({config("ok", "hang"), {}});
  device_->submit({config("grandchild", "ok"), {}});
  device_->submit({config("ok", "wrong", 1), {}});
  device_->submit({config("fail", "ok"), {}});
  EXPECT_EQ(device_->next().status, Status::compile_failed);
  ASSERT_TRUE(eventually([] { return count_grandchildren(::getpid(), "gktune-grand") == 1; }));
  const std::vector<pid_t> workers = child_processes(::getpid());
  EXPECT_GE(workers.size(), 3u);
  const std::size_t open_files = open_descriptors();
  device_.reset();
  EXPECT_TRUE(child_processes(::getpid()).empty());
  EXPECT_LT(open_descriptors(), open_files);
  // The compiler's own child was sent SIGKILL; only its parent could have waited for its end.
  for (pid_t worker : workers) EXPECT_TRUE(eventually([&] { return group_processes(worker).empty(); }));
}

TEST_F(WorkerDeviceTest, workers_end_with_their_parent) {
  options_.jobs = 2;
  options_.batch = 1;
  options_.compile_time_limit_s = 60;
  kernel_.time_limit_s = 60;
  const pid_t parent = ::fork();
  if (parent == 0) {
    open();
    device_->submit({config("ok", "hang"), {}});
    device_->submit({config("grandchild", "ok"), {}});
    device_->next();
    ::_exit(0);
  }
  // Two compile workers, a run worker, and the compiler's own child.
  ASSERT_TRUE(eventually([&] { return count_grandchildren(parent, "gktune-grand") == 1; }));
  ASSERT_TRUE(eventually([&] { return child_processes(parent).size() == 3; }));
  const std::vector<pid_t> workers = child_processes(parent);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  for (pid_t worker : workers) EXPECT_TRUE(eventually([&] { return group_processes(worker).empty(); }));
}

}  // namespace
}  // namespace gktune
