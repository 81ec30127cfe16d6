#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "fault_device.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tuner/device/host/compile/host_compiler.h"
#include "tuner/device/worker/cores.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

class HostFaults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(HostFaults, are_named_and_do_not_affect_the_next_candidate) {
  expect_fault_twice("host", GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    , HostFaults,
    ::testing::ValuesIn(with_common_faults(
        {{"trap", Status::aborted, "block (0,0,0), thread (7,0,0)"},
         {"bad_address", Status::illegal_access, "thread (3,0,0)"},
         {"null_pointer", Status::illegal_access, "null pointer"},
         {"null_pointer_everywhere", Status::illegal_access, "null_pointer_everywhere.cu:5", 1, 1000},
         {"read_past_the_end", Status::illegal_access, "past the end of"},
         {"write_before_the_beginning", Status::guard_violated,
          "wrote outside 'out' (1000 elements): up to 4 bytes before its beginning"},
         {"output_once", Status::wrong_result, "; its first execution was right"},
         {"sum_never_reset", Status::wrong_result, "; its first execution was right"},
         {"changed_input_later", Status::input_changed, "wrote into its input: in[42] was 1."},
         {"reads_other_memory", Status::illegal_access, ""},
         {"absent_lane", Status::barrier_divergence, ""},
         {"stack_overflow", Status::illegal_access, "stack overflow"},
         {"compile_error", Status::compile_failed, "compile_error.cu:4"},
         {"clean", Status::invalid, "shared", 256, 4, 1 << 20},
         // A CPU does not limit the registers of a kernel.
         {"many_registers", Status::ok, "", 1024, 1}})),
    [](const auto& fault) { return fault.param.kernel + std::string("_") + std::to_string(fault.index); });

// A kernel and the place of its fault.
struct Place {
  const char* kernel;
  const char* thread;
  const char* line;
  const char* more = "";
};

void PrintTo(const Place& place, std::ostream* out) { *out << place.kernel; }

class HostFaultPlaces : public ::testing::TestWithParam<std::tuple<const char*, Place>> {};

TEST_P(HostFaultPlaces, are_reported_at_their_lines_in_the_users_source) {
  const auto& [cxx, place] = GetParam();
  if (!HostCompiler::version(cxx)) GTEST_SKIP() << "this machine has no " << cxx;
  WorkerDeviceOptions options = fault_options("host");
  options.worker_argv.insert(options.worker_argv.begin(), {"/usr/bin/env", std::string("CXX=") + cxx});
  const auto device = open_fault_device(fault_definition(place.kernel, place.more), options);
  const Trial trial = tried(*device);
  EXPECT_TRUE(contains(trial.message, place.thread));
  EXPECT_TRUE(contains(trial.message, std::string(place.kernel) + ".cu:" + place.line));
}

INSTANTIATE_TEST_SUITE_P(
    , HostFaultPlaces,
    ::testing::Combine(
        ::testing::Values("g++", "clang++"),
        ::testing::Values(Place{"bad_address", "block (0,0,0), thread (3,0,0)", "5"},
                          Place{"bad_address_in_a_function", "thread (3,0,0)", "4"},
                          Place{"stack_overflow", "thread (9,0,0)", "3"},
                          Place{"endless_loop", "block (0,0,0), thread (5,0,0)", "6", kShortLimit},
                          Place{"endless_barriers", "ran longer than 0.5 s, block (", "5", kShortLimit})),
    [](const auto& place) {
      const std::string cxx = std::get<0>(place.param);
      return std::get<1>(place.param).kernel + std::string(cxx == "g++" ? "_gpp" : "_clangpp");
    });

TEST(HostFaultsOfFunctions, a_crash_is_reported_with_its_line) {
  const auto device =
      open_fault_device(fault_function_definition("crashing_function"), fault_options("host"));
  const Trial trial = tried(*device, {{"unroll", 1}});
  EXPECT_TRUE(ended_with(trial, Status::crashed, "integer division by zero"));
}

TEST(HostFaultsOfFunctions, an_endless_function_reports_its_line) {
  const auto device =
      open_fault_device(fault_function_definition("endless_function", kShortLimit), fault_options("host"));
  const Trial trial = tried(*device, {{"unroll", 1}});
  EXPECT_TRUE(ended_with(trial, Status::timed_out, "ran longer than 0.5 s, "));
  EXPECT_TRUE(contains(trial.message, "endless_function.cc:5"));
}

TEST(HostFaultsOfFunctions, an_endless_thread_reports_its_line_while_others_wait) {
  const auto device = open_fault_device(
      fault_function_definition("endless_thread", std::string(kShortLimit) + "options: -fopenmp\n"),
      fault_options("host"));
  const Trial trial = tried(*device, {{"unroll", 1}});
  EXPECT_TRUE(ended_with(trial, Status::timed_out, "endless_thread.cc:7"));
}

// The line of the crash takes long to find. Meanwhile the time limit ends, and the
// other thread is asked for its line.
TEST(HostFaultsOfFunctions, a_crash_is_reported_even_if_another_thread_never_ends) {
  ScratchFolder folder;
  folder.write("addr2line",
               "#!/bin/sh\n"
               "mkdir \"$0.first\" 2>/dev/null && sleep 4\n"
               "PATH=${PATH#*:}\n"
               "exec addr2line \"$@\"\n");
  std::filesystem::permissions(folder / "addr2line", std::filesystem::perms::owner_all);
  const std::string path = "PATH=" + folder.path().string() + ':' + std::getenv("PATH");
  WorkerDeviceOptions options = fault_options("host");
  options.worker_argv.insert(options.worker_argv.begin(), {"/usr/bin/env", path});
  const auto device = open_fault_device(
      fault_function_definition("crash_beside_endless_thread", "time_limit: 2s\noptions: -fopenmp\n"),
      options);
  const Trial trial = tried(*device, {{"unroll", 1}});
  EXPECT_TRUE(ended_with(trial, Status::crashed, "integer division by zero"));
}

TEST(HostFaultsOfFunctions, work_that_a_thread_does_too_late_is_found) {
  const auto device = open_fault_device(fault_function_definition("deferred_work", "options: -pthread\n"),
                                        fault_options("host"));
  EXPECT_EQ(tried(*device, {{"unroll", 1}}).status, Status::wrong_result);
}

TEST(HostFaultsOfFunctions, a_function_cannot_shorten_its_times_with_its_own_clock) {
  const auto device = open_fault_device(fault_function_definition("tampered_clock"), fault_options("host"));
  const Trial trial = tried(*device, {{"unroll", 1}});
  ASSERT_EQ(trial.status, Status::ok) << trial.message;
  EXPECT_GE(trial.timing.median_us, 2000);
}

TEST(HostFaultsOfFunctions, a_signal_that_the_parent_did_not_send_is_ignored) {
  WorkerDeviceOptions options = fault_options("host");
  options.work = WorkerDeviceOptions::Work::check;
  const auto device = open_fault_device(fault_function_definition("signalled_function"), options);
  const Trial trial = tried(*device, {{"unroll", 1}});
  EXPECT_EQ(trial.status, Status::ok) << trial.message;
}

TEST(HostFaultsOfFunctions, a_request_for_too_much_memory_does_not_stop_the_machine) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer has its own word on this";
#endif
  const auto device = open_fault_device(fault_function_definition("greedy_function"), fault_options("host"));
  const Trial trial = tried(*device, {{"unroll", 1}});
  EXPECT_EQ(trial.status, Status::out_of_memory) << trial.message;
}

TEST(HostFaultsOfFunctions, a_request_for_most_of_the_memory_ends_with_out_of_memory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer has its own word on this";
#endif
  const auto device =
      open_fault_device(fault_function_definition("hoarding_function"), fault_options("host"));
  const Trial trial = tried(*device, {{"unroll", 1}});
  EXPECT_EQ(trial.status, Status::out_of_memory) << trial.message;
}

TEST(HostFunctions, run_each_openmp_thread_on_its_own_core_by_default) {
  const bool keeps_to_core = [core = own_cores().front()] {
    const PinnedHere pinned(core);
    return own_cores() == std::vector{core};
  }();
  if (!keeps_to_core) GTEST_SKIP() << "here no thread keeps to a core";
  const auto bound = open_fault_device(fault_function_definition("openmp_function", "options: -fopenmp\n"),
                                       fault_options("host"));
  const Trial trial = tried(*bound, {{"unroll", 1}});
  EXPECT_EQ(trial.status, Status::ok) << trial.message;
  if (own_core_count() == 1) return;
  const auto free = open_fault_device(
      fault_function_definition("openmp_function",
                                "options: -fopenmp\nenvironment: {OMP_PROC_BIND: \"'false'\"}\n"),
      fault_options("host"));
  EXPECT_EQ(tried(*free, {{"unroll", 1}}).status, Status::wrong_result);
}

TEST(HostFaultsOfCompilers, an_endless_compilation_is_ended) {
  WorkerDeviceOptions options = fault_options("host");
  options.compile_time_limit_s = 1;
  const auto device = open_fault_device(fault_definition("endless_compile"), options);
  const Trial trial = tried(*device);
  EXPECT_EQ(trial.status, Status::compile_timed_out) << trial.message;
}

TEST(HostChecks, find_a_read_before_the_beginning_of_a_buffer) {
  WorkerDeviceOptions options = fault_options("host");
  options.work = WorkerDeviceOptions::Work::check;
  const auto device = open_fault_device(fault_definition("read_before_the_beginning"), options);
  EXPECT_TRUE(ended_with(tried(*device), Status::illegal_access, "before ‘in’"));
}

// A timed candidate is checked once, in another order than the natural one, which may hide a race.
TEST(HostChecks, order_threads_by_their_seed) {
  const auto message_with = [](std::uint64_t seed, WorkerDeviceOptions::Work work) {
    WorkerDeviceOptions options = fault_options("host");
    options.work = work;
    options.seed = seed;
    const auto device = open_fault_device(fault_definition("order_of_threads"), options);
    const Trial trial = tried(*device, fault_config(256, 1), 256);
    EXPECT_EQ(trial.status, Status::wrong_result) << trial.message;
    return trial.message;
  };
  using Work = WorkerDeviceOptions::Work;
  for (const Work work : {Work::check, Work::time}) {
    const std::string first = message_with(1, work);
    ASSERT_NE(first, "");
    EXPECT_EQ(message_with(1, work), first);
    EXPECT_NE(message_with(2, work), first);
  }
}

// Instrumented code is slow.
TEST(HostChecks, give_endless_instrumented_code_ten_times_the_time_limit_of_the_file) {
  WorkerDeviceOptions options = fault_options("host");
  options.work = WorkerDeviceOptions::Work::check;
  options.instrumentation = Instrumentation::sanitize;
  const auto device = open_fault_device(fault_definition("endless_loop", "time_limit: 50ms\n"), options);
  EXPECT_TRUE(ended_with(tried(*device), Status::timed_out, "ran longer than 0.5 s"));
}

// The status that `check --sanitize` gives each fault, and the line that it names; 0 if
// it finds a wrong result only.
struct Finding {
  const char* kernel;
  Status status;
  int line = 0;
  const char* more = "";
};

// Time to come to the loop, also on a busy machine.
constexpr const char* kLongerLimit = "time_limit: 0.2s\n";  // ten times as long for instrumented code

TEST(SanitizedFaults, are_found_with_their_lines) {
  const std::vector<Finding> findings = {{"clean", Status::ok},
                                         {"trap", Status::aborted, 4},
                                         {"failed_assertion", Status::aborted, 6},
                                         {"endless_loop", Status::timed_out, 6, kLongerLimit},
                                         {"endless_barriers", Status::timed_out, 5, kLongerLimit},
                                         {"bad_address", Status::illegal_access, 5},
                                         {"bad_address_in_a_function", Status::illegal_access, 4},
                                         {"null_pointer", Status::illegal_access, 5},
                                         {"null_pointer_everywhere", Status::illegal_access, 5},
                                         {"read_past_the_end", Status::illegal_access, 4},
                                         {"read_before_the_beginning", Status::illegal_access, 5},
                                         {"write_past_the_end", Status::illegal_access, 4},
                                         {"write_before_the_beginning", Status::illegal_access, 4},
                                         {"copies_past_the_end", Status::illegal_access, 5},
                                         {"reads_other_memory", Status::illegal_access, 6},
                                         {"misaligned", Status::misaligned_access, 6},
                                         {"stack_overflow", Status::illegal_access, 3},
                                         {"depends_on_poison", Status::undefined_behavior, 4},
                                         {"adds_to_unwritten", Status::undefined_behavior, 4},
                                         {"unwritten_shared", Status::undefined_behavior, 7},
                                         {"missing_barrier", Status::undefined_behavior, 6},
                                         {"order_of_threads", Status::data_race, 6},
                                         {"race_of_blocks", Status::data_race, 5},
                                         {"missing_fence", Status::data_race, 12},
                                         {"barrier_by_two_calls", Status::barrier_divergence, 9},
                                         {"absent_lane", Status::barrier_divergence, 6},
                                         {"misaligned_copy", Status::misaligned_access, 7},
                                         {"narrow_index", Status::illegal_access, 6},
                                         {"wrong_result", Status::wrong_result},
                                         {"nan_result", Status::wrong_result},
                                         {"unwritten_result", Status::wrong_result},
                                         {"changed_input", Status::input_changed, 5},
                                         {"partial_block", Status::wrong_result},
                                         {"output_once", Status::wrong_result},
                                         {"sum_never_reset", Status::wrong_result},
                                         {"reduced_precision", Status::wrong_result}};
  // Compiled all at once; the workers find the code in the cache.
  DeviceInfo host;
  host.kind = "host";
  CompileJob job{{}, "", GKTUNE_TEST_CACHE};
  for (const Finding& finding : findings) {
    const auto plan = resolve(fault_definition(finding.kernel).kernel, fault_config(), {{"n", 1000}}, host);
    job.variants.push_back(plan->candidate.source);
    job.variants.back().instrumentation = Instrumentation::sanitize;
  }
  HostCompiler compiler("g++");
  for (const CompiledVariant& each : compiler.compile(job)) ASSERT_EQ(each.status, Status::ok) << each.log;

  WorkerDeviceOptions options = fault_options("host");
  options.work = WorkerDeviceOptions::Work::check;
  options.instrumentation = Instrumentation::sanitize;
  options.worker_argv.insert(options.worker_argv.begin(), {"/usr/bin/env", "CXX=g++"});
  for (const Finding& finding : findings) {
    SCOPED_TRACE(finding.kernel);
    const auto device = open_fault_device(fault_definition(finding.kernel, finding.more), options);
    const Trial trial = tried(*device);
    EXPECT_EQ(status_name(trial.status), status_name(finding.status)) << trial.message;
    const std::string line = finding.line == 0 ? "" : fmt::format("{}.cu:{}", finding.kernel, finding.line);
    EXPECT_TRUE(contains(trial.message, line));
  }
}

TEST(SanitizedFaults, of_a_reference_are_looked_for_in_the_source_of_the_candidate_only) {
  WorkerDeviceOptions options = fault_options("host");
  options.work = WorkerDeviceOptions::Work::check;
  options.instrumentation = Instrumentation::sanitize;
  options.worker_argv.insert(options.worker_argv.begin(), {"/usr/bin/env", "CXX=g++"});
  const auto status_of = [&](const std::string& source, const std::string& entry) {
    const auto device = open_fault_device(read_definition(R"yaml(
kernel: careless
source: kernels/)yaml" + source + R"yaml(
problem: {n: [1000]}
arguments:
  in: {type: float, extent: n, init: {uniform: [1, 2], seed: 7}}
  out: {type: float, extent: n, role: out}
  n: {type: int32, value: n}
launches: {entry: )yaml" + entry + R"yaml(, grid: 4, block: 256, arguments: [in, out, n]}
reference:
  source: kernels/careless_reference.cu
  launches: {entry: twice, grid: 4, block: 256, arguments: [in, out, n]}
)yaml",
                                                          "careless"),
                                          options);
    return status_name(tried(*device, {}).status);
  };
  EXPECT_EQ(status_of("clean.cu", "faulty"), "ok");
  EXPECT_EQ(status_of("careless_reference.cu", "twice"), "reference_failed");
}

TEST(SanitizedKernels, are_not_compiled_with_clang) {
  if (!HostCompiler::version("clang++")) GTEST_SKIP() << "this machine has no clang++";
  CompileJob job{{{}}, "", GKTUNE_TEST_CACHE};
  job.variants.front().instrumentation = Instrumentation::sanitize;
  const CompiledVariant compiled = HostCompiler("clang++").compile(job).front();
  EXPECT_EQ(compiled.status, Status::machine_failed);
  EXPECT_TRUE(contains(compiled.log, ": set CXX=g++"));
}

class HonestFunctions : public ::testing::TestWithParam<int> {};

TEST_P(HonestFunctions, are_not_blamed) {
  constexpr const char* kSpace =
      "parameters: {FORM: {range: [0, 7]}}\noptions: [-fopenmp, -pthread]\ntime_limit: 20s\n";
  const auto device = open_fault_device(fault_function_definition("honest", kSpace), fault_options("host"));
  const Config config = {{"FORM", GetParam()}};
  const Trial trial = tried(*device, config);
  EXPECT_EQ(trial.status, Status::ok) << trial.message;
  EXPECT_GT(trial.fresh_us, 0);
  const auto finalists =
      device->playoff({{"n", 1000}}, {config, {{"FORM", 0}}}, {.count = 5}, [](const auto&) { return true; });
  EXPECT_EQ(finalists.at(0).status, Status::ok) << finalists[0].message;
  EXPECT_EQ(finalists[0].samples_us.size(), 5u);
}

INSTANTIATE_TEST_SUITE_P(, HonestFunctions, ::testing::Range(0, 8));

// Then no other inputs can be drawn, and those of the space file serve.
TEST(HostFaultsOfReferences, on_other_inputs_are_no_faults_of_the_candidate) {
  const auto device = open_fault_device(read_definition(R"yaml(
kernel: strict
source: kernels/hostile_function.cc
problem: {n: [1000]}
parameters: {ATTACK: [0]}
arguments:
  in: {type: float, extent: n, init: {ramp: [1, 0.5]}}
  out: {type: float, extent: n, role: out}
  n: {type: int32, value: n}
launches: {entry: faulty, arguments: [in, out, n]}
reference: {source: kernels/strict_reference.cc, launches: {entry: twice, arguments: [in, out, n]}}
)yaml",
                                                        "strict"),
                                        fault_options("host"));
  for (int time = 0; time < 2; ++time) {
    const Trial trial = tried(*device, {{"ATTACK", 0}});
    EXPECT_EQ(trial.status, Status::ok) << trial.message;
    EXPECT_GT(trial.fresh_us, 0);
  }
  const auto finalists =
      device->playoff({{"n", 1000}}, {{{"ATTACK", 0}}}, {.count = 3}, [](const auto&) { return true; });
  EXPECT_EQ(finalists.at(0).status, Status::ok) << finalists[0].message;
  EXPECT_EQ(finalists[0].samples_us.size(), 3u);
}

class PretendingFunctions : public ::testing::TestWithParam<Pretender> {};
class PretendingKernels : public ::testing::TestWithParam<Pretender> {};

TEST_P(PretendingFunctions, are_wrong_or_slow_when_they_can_know_of_no_other_execution) {
  expect_that_pretending_is_found("host", GetParam(), PretendingCode::function);
}

TEST_P(PretendingKernels, are_wrong_or_slow_when_they_can_know_of_no_other_execution) {
  expect_that_pretending_is_found("host", GetParam(), PretendingCode::kernel);
}

TEST(PretendingFunctionsOfOneSpace, do_not_find_each_others_results_in_files) {
  const auto device =
      open_fault_device(pretending({0, kUniform, "hot"}, PretendingCode::function), fault_options("host"));
  const auto finalists = device->playoff({{"n", 20000}}, {{{"TRICK", 11}}, {{"TRICK", 12}}, {{"TRICK", 0}}},
                                         {.count = 9}, [](const auto&) { return true; });
  for (const Trial& finalist : finalists) {
    ASSERT_TRUE(finalist.ok()) << finalist.message;
    EXPECT_GT(summarize(finalist.samples_us).median_us, 0.6 * summarize(finalists[2].samples_us).median_us);
  }
}

INSTANTIATE_TEST_SUITE_P(, PretendingFunctions, ::testing::ValuesIn(pretenders(10, false)), pretender_name);
INSTANTIATE_TEST_SUITE_P(, PretendingKernels, ::testing::ValuesIn(pretenders(5, false)), pretender_name);

}  // namespace
}  // namespace gktune
