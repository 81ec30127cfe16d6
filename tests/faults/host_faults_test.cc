#include <gtest/gtest.h>

#include "fault_device.h"

namespace gktune {
namespace {

struct Case {
  const char* kernel;
  Status status;
  const char* message;
  int threads = 256;
  int blocks = 4;
  std::int64_t shared_bytes = 0;
};

void PrintTo(const Case& fault, std::ostream* out) { *out << fault.kernel; }

class HostFaults : public ::testing::TestWithParam<Case> {};

TEST_P(HostFaults, each_is_named_and_the_next_candidate_is_fine) {
  const Case& fault = GetParam();
  const auto device = open_fault_device(fault_definition(fault.kernel), fault_options("host"));
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
    , HostFaults,
    ::testing::Values(
        Case{"clean", Status::ok, ""}, Case{"long_printing", Status::ok, ""},
        Case{"endless_loop", Status::timed_out, "ran longer than 0.5 s"},
        Case{"trap", Status::aborted, "block (0,0,0), thread (7,0,0)"},
        Case{"failed_assertion", Status::aborted, "i < 600"},
        Case{"bad_address", Status::illegal_access, "thread (3,0,0)"},
        Case{"null_pointer", Status::illegal_access, "null pointer"},
        Case{"read_past_the_end", Status::illegal_access, "past the end of"},
        Case{"write_past_the_end", Status::guard_violated,
             "wrote outside 'out' (1000 elements): 0 bytes past its end"},
        Case{"write_before_the_beginning", Status::guard_violated,
             "wrote outside 'out' (1000 elements): up to 4 bytes before its beginning"},
        Case{"wrong_result", Status::wrong_result, "983 of 1000 elements differ; the first is out[17]: "},
        Case{"nan_result", Status::wrong_result, "1 of 1000 elements differs (NaN); it is out[100]: "},
        Case{"unwritten_result", Status::wrong_result, "1 of 1000 elements differs (NaN); it is out[999]: "},
        Case{"changed_input", Status::input_changed, "wrote into its input: in[42] was 1."},
        Case{"missed_barrier", Status::barrier_divergence, ""},
        Case{"stack_overflow", Status::illegal_access, "stack overflow"},
        Case{"compile_error", Status::compile_failed, "compile_error.cu:4"},
        Case{"clean", Status::invalid, "shared", 256, 4, 1 << 20},
        Case{"clean", Status::invalid, "block", 2048, 1}),
    [](const auto& fault) { return fault.param.kernel + std::string("_") + std::to_string(fault.index); });

TEST(HostFaultsOfFunctions, a_crash_is_named_with_its_line) {
  const auto device =
      open_fault_device(fault_function_definition("crashing_function"), fault_options("host"));
  ASSERT_NE(device, nullptr);
  const Trial trial = tried(*device, {{"unroll", 1}});
  EXPECT_EQ(trial.status, Status::crashed) << trial.message;
  EXPECT_NE(trial.message.find("integer division by zero"), std::string::npos) << trial.message;
}

TEST(HostFaultsOfFunctions, more_memory_than_there_is_does_not_take_the_machine_down) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer has its own word on this";
#endif
  const auto device = open_fault_device(fault_function_definition("greedy_function"), fault_options("host"));
  ASSERT_NE(device, nullptr);
  const Trial trial = tried(*device, {{"unroll", 1}});
  EXPECT_EQ(trial.status, Status::out_of_memory) << trial.message;
}

TEST(HostFaultsOfCompilers, one_that_never_ends_is_ended) {
  WorkerDeviceOptions options = fault_options("host");
  options.compile_time_limit_s = 1;
  const auto device = open_fault_device(fault_definition("endless_compile"), options);
  ASSERT_NE(device, nullptr);
  const Trial trial = tried(*device);
  EXPECT_EQ(trial.status, Status::compile_timed_out) << trial.message;
}

TEST(HostChecks, a_read_before_the_beginning_is_found_when_checking) {
  WorkerDeviceOptions options = fault_options("host");
  options.work = WorkerDeviceOptions::Work::check;
  const auto device = open_fault_device(fault_definition("read_before_the_beginning"), options);
  ASSERT_NE(device, nullptr);
  const Trial trial = tried(*device);
  EXPECT_EQ(trial.status, Status::illegal_access) << trial.message;
  EXPECT_NE(trial.message.find("before ‘in’"), std::string::npos) << trial.message;
}

}  // namespace
}  // namespace gktune
