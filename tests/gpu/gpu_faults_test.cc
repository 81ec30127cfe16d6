#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/faults/fault_device.h"
#include "tuner/device/cuda/cuda_backend.h"

namespace gktune {
namespace {

class GpuFaults : public ::testing::TestWithParam<FaultCase> {
 protected:
  void SetUp() override {
    const auto info = open_cuda_backend(0, {})->probe();
    if (!info) GTEST_SKIP() << info.error().message;
  }
};

TEST_P(GpuFaults, are_named_and_do_not_affect_the_next_candidate) {
  expect_fault_twice("cuda", GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    , GpuFaults,
    ::testing::Values(
        FaultCase{"clean", Status::ok, ""}, FaultCase{"long_printing", Status::ok, ""},
        FaultCase{"endless_loop", Status::timed_out, "ran longer than 0.5 s"},
        FaultCase{"trap", Status::aborted, "unspecified launch failure"},
        FaultCase{"failed_assertion", Status::aborted, "i < 600"},
        FaultCase{"bad_address", Status::illegal_access, "illegal memory access"},
        FaultCase{"null_pointer", Status::illegal_access, "illegal memory access"},
        FaultCase{"read_past_the_end", Status::illegal_access, "so it may have read there"},
        FaultCase{"read_before_the_beginning", Status::illegal_access, "so it may have read there"},
        FaultCase{"write_past_the_end", Status::guard_violated,
                  "wrote outside 'out' (1000 elements): 0 bytes past its end"},
        // In the first execution only the end of a buffer lies at unmapped memory.
        FaultCase{"write_before_the_beginning", Status::wrong_result, "1000 of 1000 elements differ"},
        FaultCase{"wrong_result", Status::wrong_result,
                  "983 of 1000 elements differ; the first is out[17]: "},
        FaultCase{"nan_result", Status::wrong_result, "1 of 1000 elements differs (NaN); it is out[100]: "},
        FaultCase{"unwritten_result", Status::wrong_result,
                  "1 of 1000 elements differs (NaN); it is out[999]: "},
        FaultCase{"changed_input", Status::input_changed, "wrote into its input: in[42] was 1."},
        FaultCase{"copies_past_the_end", Status::guard_violated,
                  "wrote outside 'out' (1000 elements): 0 bytes past its end"},
        // Code stays loaded: the second time, the first execution finds what earlier ones left.
        FaultCase{"output_once", Status::wrong_result, "1000 of 1000 elements differ"},
        FaultCase{"sum_never_reset", Status::wrong_result, "1000 of 1000 elements differ"},
        FaultCase{"depends_on_poison", Status::wrong_result, "; its first execution was right"},
        FaultCase{"merged_executions", Status::wrong_result, "1000 of 1000 elements differ"},
        FaultCase{"reused_result", Status::wrong_result, "; it was right on the inputs that it met before"},
        FaultCase{"skipped_work", Status::wrong_result, ": it reuses results"},
        FaultCase{"changed_input_later", Status::illegal_access, "illegal memory access"},
        FaultCase{"reduced_precision", Status::wrong_result, " elements differ; the first is out["},
        FaultCase{"reads_other_memory", Status::illegal_access, "illegal memory access"},
        FaultCase{"compile_error", Status::compile_failed, "compile_error.cu(4)"},
        FaultCase{"clean", Status::invalid, "1048576 is more than the device's", 256, 4, 1 << 20},
        FaultCase{"clean", Status::invalid, "block", 2048, 1},
        FaultCase{"clean", Status::invalid, "grid", 256, std::int64_t{1} << 31},
        FaultCase{"misaligned", Status::misaligned_access, "misaligned address"},
        FaultCase{"many_registers", Status::launch_failed, "a block of 1024 threads with ", 1024, 1},
        FaultCase{"large_shared", Status::ok, "", 256, 4, 96 << 10}),
    [](const auto& fault) { return fault.param.kernel + std::string("_") + std::to_string(fault.index); });

TEST(GpuFaultsOfCompilers, an_endless_compilation_is_ended) {
  const auto info = open_cuda_backend(0, {})->probe();
  if (!info) GTEST_SKIP() << info.error().message;
  WorkerDeviceOptions options = fault_options("cuda");
  options.compile_time_limit_s = 2;
  const auto device = open_fault_device(fault_definition("endless_compile"), options);
  ASSERT_NE(device, nullptr);
  const Trial trial = tried(*device);
  EXPECT_EQ(trial.status, Status::compile_timed_out) << trial.message;
}

TEST(GpuRecovery, takes_less_than_half_a_second_from_a_lost_context_to_the_next_answer) {
  const auto info = open_cuda_backend(0, {})->probe();
  if (!info) GTEST_SKIP() << info.error().message;
  const auto device = open_fault_device(fault_definition("trap_on_request"), fault_options("cuda"));
  ASSERT_NE(device, nullptr);
  const Config fine = fault_config(256, 4, 0), trapping = fault_config(256, 4, 16);
  ASSERT_TRUE(tried(*device, fine).ok());
  EXPECT_EQ(tried(*device, trapping).status, Status::aborted);  // from now on there is a process in reserve
  ASSERT_TRUE(tried(*device, fine).ok());
  for (int time = 0; time < 3; ++time) {
    std::this_thread::sleep_for(std::chrono::seconds(1));  // the process in reserve gets ready
    EXPECT_EQ(tried(*device, trapping).status, Status::aborted);
    const auto start = std::chrono::steady_clock::now();
    const Trial trial = tried(*device, fine);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_TRUE(trial.ok()) << trial.message;
    EXPECT_LT(seconds, 0.5);
    std::printf(
        "from the answer that the context is lost to the next answer: %.3f s, of which %.3f s its run\n",
        seconds, trial.run_s);
  }
}

class PretendingKernels : public ::testing::TestWithParam<Pretender> {};

TEST_P(PretendingKernels, are_wrong_or_slow_when_they_can_know_of_no_other_execution) {
  const auto info = open_cuda_backend(0, {})->probe();
  if (!info) GTEST_SKIP() << info.error().message;
  expect_that_pretending_is_found("cuda", GetParam(), false);
}

INSTANTIATE_TEST_SUITE_P(, PretendingKernels, ::testing::ValuesIn(pretenders(17, true)), pretender_name);

}  // namespace
}  // namespace gktune
