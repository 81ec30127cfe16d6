#include <gtest/gtest.h>

#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tuner/device/cuda/compile/toolkit.h"

// LeakSanitizer stops all threads at the exit of the program. It crashes when a thread of NVRTC ends meanwhile.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace gktune {
namespace {

TEST(ArchitectureInfo, has_the_limits_of_known_architectures) {
  const auto hopper = architecture_info("sm_90a");
  EXPECT_EQ(hopper->kind, "cuda");
  EXPECT_EQ(hopper->architecture, "sm_90");
  EXPECT_EQ(hopper->shared_bytes_per_block_optin, 232448);
  EXPECT_EQ(architecture_info("sm_75")->shared_bytes_per_block_optin, 65536);
  EXPECT_EQ(architecture_info("sm_86")->max_threads_per_multiprocessor, 1536);
}

TEST(ArchitectureInfo, says_whose_limits_a_newer_architecture_gets) {
  EXPECT_EQ(architecture_info("sm_90")->name, "sm_90, as in H100");
  EXPECT_EQ(architecture_info("sm_88")->name, "sm_88, with the limits of Orin");
}

TEST(ArchitectureInfo, refuses_a_text_that_is_not_an_architecture) {
  for (const char* text : {"", "sm_", "sm_x", "sm_90b", "sm_-9", "90", "sm_999", "sm_99999999999"})
    EXPECT_FALSE(architecture_info(text).ok()) << text;
}

class ArchitectureBackendTest : public testing::Test {
 protected:
  void SetUp() override {
    if (auto compiler = open_cuda_compiler({}); !compiler) GTEST_SKIP() << compiler.error().message;
  }
  // The reply for one launch of a source's kernel k on sm_90.
  RunReply reply(const std::string& source, std::array<std::int64_t, 3> block,
                 std::int64_t shared_bytes = 0) {
    const auto backend = open_architecture_backend("sm_90", {});
    RunJob job;
    ProgramPlan& program = job.plan.candidate;
    program.source.path = "k.cu";
    program.source.text = source;
    program.source.entries = {"k"};
    program.steps.resize(1);
    program.steps[0].entry = "k";
    program.steps[0].block = block;
    program.steps[0].shared_bytes = shared_bytes;
    const CompiledVariant variant =
        (*backend->compiler())->compile({{program.source}, "sm_90", folder_.path("cache"), {}})[0];
    EXPECT_EQ(variant.status, Status::ok) << variant.log;
    job.candidate = variant.module;
    return (*backend->runner())->run(job);
  }
  ScratchFolder folder_;
};

TEST_F(ArchitectureBackendTest, reports_the_resources_of_a_launch) {
  const RunReply taken = reply(
      "__global__ void k(float* p) { __shared__ float s[256]; s[threadIdx.x] = p[threadIdx.x]; "
      "__syncthreads();"
      " p[threadIdx.x] = s[255 - threadIdx.x]; }",
      {256, 1, 1}, 100);
  EXPECT_EQ(taken.status, Status::ok) << taken.message;
  EXPECT_GT(taken.resources.registers, 0);
  EXPECT_EQ(taken.resources.spill_bytes, 0);
  EXPECT_EQ(taken.resources.static_shared_bytes, 1024);
  EXPECT_EQ(taken.resources.dynamic_shared_bytes, 100);
  EXPECT_EQ(taken.resources.block[0], 256);
}

TEST_F(ArchitectureBackendTest, fails_a_launch_that_the_gpu_cannot_execute) {
  const RunReply large = reply("__global__ void k(float* p) { *p = 0; }", {32, 1, 1}, 300000);
  EXPECT_TRUE(
      ended(large, Status::launch_failed, "k: 300000 bytes of shared memory: a block can have 232448"));
  // 128 values of its own for each of 1,024 threads.
  const RunReply greedy = reply(
      "__global__ void k(float* p) { float a[128];\n#pragma unroll\nfor (int i = 0; i < 128; ++i) a[i] = "
      "p[i];\n"
      "#pragma unroll\nfor (int i = 0; i < 128; ++i) p[a[i] > 0 ? i : 0] = a[127 - i] * a[i]; }",
      {1024, 1, 1});
  EXPECT_TRUE(ended_with(greedy, Status::launch_failed, "registers each: a block can have 65536 registers"));
}

TEST_F(ArchitectureBackendTest, lists_the_architectures_that_the_compiler_knows) {
  EXPECT_TRUE(contains(message_of(open_architecture_backend("sm_12", {})->probe()),
                       "does not compile for 'sm_12'; it knows sm_"));
  EXPECT_TRUE(open_architecture_backend("sm_90", {})->probe().ok());
}

}  // namespace
}  // namespace gktune
