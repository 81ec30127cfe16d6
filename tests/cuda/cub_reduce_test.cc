// Compiles spaces/cub_reduce.yaml for a GPU that is absent.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/scratch_folder.h"
#include "tests/templates/made_up_gpu.h"
#include "tests/templates/shipped_spaces.h"
#include "tuner/device/cuda/compile/module_file.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

class CubReduce : public testing::Test {
 protected:
  void SetUp() override {
    auto compiler = open_cuda_compiler({});
    if (!compiler) GTEST_SKIP() << compiler.error().message;
    compiler_ = std::move(*compiler);
  }
  std::vector<CompiledVariant> compile(std::vector<SourcePlan> variants) {
    return compiler_->compile({std::move(variants), "sm_90", folder_.path("cache")});
  }

  ScratchFolder folder_;
  std::unique_ptr<Compiler> compiler_;
};

TEST_F(CubReduce, is_compiled_for_a_gpu) {
  const auto spaces = shipped_spaces();
  const auto path =
      std::ranges::find_if(spaces, [](const auto& each) { return each.ends_with("/cub_reduce.yaml"); });
  ASSERT_NE(path, spaces.end());
  const auto definition = read_space_file(*path, {.device_kind = "cuda"});
  ASSERT_TRUE(definition.ok()) << definition.error().front().str();
  const Problem large{{"element", "float"}, {"operation", "sum"}, {"offsetType", "uint32"}, {"n", 1 << 24}};
  const Problem small{{"element", "int64"}, {"operation", "min"}, {"offsetType", "uint64"}, {"n", 1000}};
  const Config config{{"itemsPerThread", 16}, {"threadsPerBlock", 512}, {"itemsPerVecLoad", 2}};
  const auto of_large = resolve(definition->kernel, config, large, made_up_gpu("sm_90"));
  const auto of_small = resolve(definition->kernel, config, small, made_up_gpu("sm_90"));
  ASSERT_TRUE(of_large.ok() && of_small.ok());
  // Two passes of as many blocks as CUB starts, five for each that the GPU holds at
  // a time; or one of one block.
  ASSERT_EQ(of_large->candidate.steps.size(), 2u);
  EXPECT_EQ(of_large->candidate.steps[0].grid[0], std::min((1 << 24) / (16 * 512), 5 * 4 * 132));
  EXPECT_EQ(of_large->candidate.steps[0].block[0], 512);
  ASSERT_EQ(of_small->candidate.steps.size(), 1u);
  // One of them is enough: each takes seconds.
  const auto compiled = compile({of_large->candidate.source});
  if (compiled[0].log.find("CUB 3") != std::string::npos) GTEST_SKIP() << compiled[0].log;
  ASSERT_EQ(compiled[0].status, Status::ok) << compiled[0].log;
  EXPECT_EQ(compiled[0].log, "");
  const auto kernels = read_module(compiled[0].module.path)->kernels;
  EXPECT_EQ(kernels.size(), 2u);
  for (const KernelResources& kernel : kernels) {
    EXPECT_EQ(kernel.spill_bytes, 0);
    EXPECT_LE(kernel.registers, 65536 / 512);
  }
}

}  // namespace
}  // namespace gktune
