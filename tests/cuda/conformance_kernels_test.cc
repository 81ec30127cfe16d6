// NVRTC compiles the kernels of the conformance suite too, so that a GPU can run them.
#include <gtest/gtest.h>

#include "tests/host/conformance.h"
#include "tests/scratch_folder.h"
#include "tuner/device/cuda/compile/cuda_compiler.h"

namespace gktune {
namespace {

TEST(ConformanceKernels, compile_for_a_gpu) {
  auto compiler = CudaCompiler::open({});
  if (!compiler) GTEST_SKIP() << compiler.error().message;
  const ScratchFolder folder;
  for (const std::string& file : conformance_files()) {
    const std::vector<CompiledVariant> compiled = (*compiler)->compile(
        {{conformance_source(file)}, "sm_90", folder.path("cache"), Instrumentation::none});
    EXPECT_EQ(compiled.at(0).status, Status::ok) << file << ": " << compiled[0].log;
  }
}

}  // namespace
}  // namespace gktune
