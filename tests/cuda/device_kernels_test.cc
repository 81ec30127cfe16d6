// Finding the code of gktune's own kernels, with a driver that loads no fat binaries.
#include "tuner/device/cuda/device_kernels.h"

#include <gtest/gtest.h>

#include "tests/fake_cuda/fake_cuda.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class DeviceKernelCode : public testing::Test {
 protected:
  void SetUp() override {
    fake_cuda::reset();
    const auto driver = Driver::open();
    auto gpu = Gpu::open(*driver, 0);
    gpu_ = *std::move(gpu);
    if (!Nvrtc::open({})) GTEST_SKIP() << "there is no NVRTC";
  }

  std::unique_ptr<Gpu> gpu_;
  ScratchFolder folder_;
};

TEST_F(DeviceKernelCode, is_compiled_and_kept_if_the_driver_refuses_the_built_code) {
  const auto loaded = load_device_kernels(*gpu_, {}, "sm_90", folder_.path("cache"));
  EXPECT_NE(loaded->get(), nullptr);
  // The second call needs no compiler.
  const ToolkitPlaces nowhere{.home = folder_.path("nowhere")};
  const auto again = load_device_kernels(*gpu_, nowhere, "sm_90", folder_.path("cache"));
  EXPECT_TRUE(again.ok()) << again.error().message;
}

TEST_F(DeviceKernelCode, is_missing_for_an_architecture_that_no_compiler_knows) {
  const auto loaded = load_device_kernels(*gpu_, {}, "sm_1", folder_.path("cache"));
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().message.find("gktune's own kernels do not compile for sm_1"), std::string::npos)
      << loaded.error().message;
  EXPECT_TRUE(gpu_->ok());
}

}  // namespace
}  // namespace gktune
