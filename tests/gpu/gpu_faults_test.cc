#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/faults/fault_device.h"
#include "tuner/device/cuda/cuda_backend.h"

namespace gktune {
namespace {

struct Case {
  const char* kernel;
  Status status;
  const char* message;
  int threads = 256;
  std::int64_t blocks = 4;
  std::int64_t shared_bytes = 0;
};

void PrintTo(const Case& fault, std::ostream* out) { *out << fault.kernel; }

class GpuFaults : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const auto info = open_cuda_backend(0, {})->probe();
    if (!info) GTEST_SKIP() << info.error().message;
  }
};

TEST_P(GpuFaults, each_is_named_and_the_next_candidate_is_fine) {
  const Case& fault = GetParam();
  const char* limit = fault.status == Status::timed_out ? kShortLimit : "";
  const auto device = open_fault_device(fault_definition(fault.kernel, limit), fault_options("cuda"));
  ASSERT_NE(device, nullptr);
  const Config config = fault_config(fault.threads, fault.blocks, fault.shared_bytes);
  // Twice: the first one leaves nothing behind that the second one trips over.
  for (int time = 0; time < 2; ++time) {
    const Trial trial = tried(*device, config);
    EXPECT_EQ(status_name(trial.status), status_name(fault.status)) << trial.message;
    EXPECT_NE(trial.message.find(fault.message), std::string::npos) << trial.message;
    EXPECT_EQ(trial.ok(), !trial.samples_us.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    , GpuFaults,
    ::testing::Values(
        Case{"clean", Status::ok, ""}, Case{"long_printing", Status::ok, ""},
        Case{"endless_loop", Status::timed_out, "ran longer than 0.5 s"},
        Case{"trap", Status::aborted, "unspecified launch failure"},
        Case{"failed_assertion", Status::aborted, "i < 600"},
        Case{"bad_address", Status::illegal_access, "illegal memory access"},
        Case{"null_pointer", Status::illegal_access, "illegal memory access"},
        Case{"read_past_the_end", Status::illegal_access, "so it may have read there"},
        Case{"read_before_the_beginning", Status::illegal_access, "so it may have read there"},
        Case{"write_past_the_end", Status::guard_violated,
             "wrote outside 'out' (1000 elements): 0 bytes past its end"},
        // In the first execution only the end of a buffer lies at unmapped memory.
        Case{"write_before_the_beginning", Status::wrong_result, "1000 of 1000 elements differ"},
        Case{"wrong_result", Status::wrong_result, "983 of 1000 elements differ; the first is out[17]: "},
        Case{"nan_result", Status::wrong_result, "1 of 1000 elements differs (NaN); it is out[100]: "},
        Case{"unwritten_result", Status::wrong_result, "1 of 1000 elements differs (NaN); it is out[999]: "},
        Case{"changed_input", Status::input_changed, "wrote into its input: in[42] was 1."},
        Case{"copies_past_the_end", Status::guard_violated,
             "wrote outside 'out' (1000 elements): 0 bytes past its end"},
        // Code stays loaded: the second time, the first execution finds what earlier ones left.
        Case{"output_once", Status::wrong_result, "1000 of 1000 elements differ"},
        Case{"sum_never_reset", Status::wrong_result, "1000 of 1000 elements differ"},
        Case{"depends_on_poison", Status::wrong_result, "; its first execution was right"},
        Case{"merged_executions", Status::wrong_result, "1000 of 1000 elements differ"},
        Case{"reused_result", Status::wrong_result, "; it was right on the inputs that it met before"},
        Case{"skipped_work", Status::wrong_result, ": it reuses results"},
        Case{"changed_input_later", Status::illegal_access, "illegal memory access"},
        Case{"reduced_precision", Status::wrong_result, " elements differ; the first is out["},
        Case{"reads_other_memory", Status::illegal_access, "illegal memory access"},
        Case{"compile_error", Status::compile_failed, "compile_error.cu(4)"},
        Case{"clean", Status::invalid, "1048576 is more than the device's", 256, 4, 1 << 20},
        Case{"clean", Status::invalid, "block", 2048, 1},
        Case{"clean", Status::invalid, "grid", 256, std::int64_t{1} << 31},
        Case{"misaligned", Status::misaligned_access, "misaligned address"},
        Case{"many_registers", Status::launch_failed, "a block of 1024 threads with ", 1024, 1},
        Case{"large_shared", Status::ok, "", 256, 4, 96 << 10}),
    [](const auto& fault) { return fault.param.kernel + std::string("_") + std::to_string(fault.index); });

TEST(GpuFaultsOfCompilers, one_that_never_ends_is_ended) {
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

}  // namespace
}  // namespace gktune
