// Host code, compiled by nvcc for a GPU that is not there.
#include "tuner/device/cuda/compile/nvcc_compiler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/scratch_folder.h"
#include "tests/templates/made_up_gpu.h"
#include "tuner/device/cuda/compile/cuda_compiler.h"
#include "tuner/device/host/execute/host_module.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

class NvccCompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto nvcc = find_nvcc({}); !nvcc) GTEST_SKIP() << nvcc.error().message;
    auto compiler = CudaCompiler::open({});
    if (!compiler) GTEST_SKIP() << compiler.error().message;
    compiler_ = std::move(*compiler);
  }
  SourcePlan source(const std::string& text, const std::string& entry) {
    SourcePlan plan;
    plan.language = Language::host;
    plan.path = folder_.path("a.cu");
    plan.text = text;
    plan.entries = {entry};
    return plan;
  }
  CompiledVariant compile(const SourcePlan& source) {
    return compiler_->compile({{source}, "sm_90", folder_.path("cache"), Instrumentation::none}).at(0);
  }

  ScratchFolder folder_;
  std::unique_ptr<CudaCompiler> compiler_;
};

TEST_F(NvccCompilerTest, makes_functions_that_take_what_the_launch_passes) {
  const auto definition =
      read_space_file(GKTUNE_SOURCE_DIR "/tests/kernels/launches/host_code.yaml", {.device_kind = "cuda"});
  ASSERT_TRUE(definition.ok()) << definition.error().front().str();
  const auto plan = resolve(definition->kernel, {{"threads", 256}}, {{"n", 65536}}, made_up_gpu("sm_90"));
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const CompiledVariant first = compile(plan->candidate.source), again = compile(plan->candidate.source);
  ASSERT_EQ(first.status, Status::ok) << first.log;
  EXPECT_EQ(first.log, "");
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.module, first.module);
  const auto module = HostModule::load(first.module);
  ASSERT_TRUE(module.ok()) << module.error().message;
  ASSERT_EQ(module->entry_count(), 1u);
  const kernel::Entry& entry = module->entry(0);
  ASSERT_EQ(entry.argument_count, 4u);  // without the stream
  EXPECT_TRUE(entry.argument_is_pointer[2]);
  EXPECT_EQ(entry.argument_bytes[3], 4u);
}

TEST_F(NvccCompilerTest, names_a_function_that_is_missing) {
  EXPECT_EQ(compile(source("void scale(int* p) {}\n", "scal")).log,
            folder_.path("a.cu") + " has no function 'scal', did you mean 'scale'?\n");
}

TEST_F(NvccCompilerTest, shows_errors_at_their_lines) {
  const CompiledVariant variant = compile(source("void f(int* p) {\n  *p = undefined;\n}\n", "f"));
  EXPECT_EQ(variant.status, Status::compile_failed);
  EXPECT_EQ(variant.log.find(folder_.path("a.cu") + "(2): error: identifier \"undefined\" is undefined"), 0u)
      << variant.log;
}

TEST_F(NvccCompilerTest, refuses_results_that_are_no_error_codes) {
  const CompiledVariant variant = compile(source("bool f(int* p) { return p != nullptr; }\n", "f"));
  EXPECT_EQ(variant.status, Status::compile_failed);
  EXPECT_NE(variant.log.find("host code returns nothing, or an error code, which is 0 for success"),
            std::string::npos)
      << variant.log;
}

TEST(Nvcc, that_is_missing_is_one_line) {
  const ScratchFolder folder;
  const auto compiler = NvccCompiler::open({folder.path()});
  ASSERT_FALSE(compiler.ok());
  EXPECT_EQ(compiler.error().message,
            "host code needs nvcc, which was not found: looked for " + folder.path("bin/nvcc"));
}

}  // namespace
}  // namespace gktune
