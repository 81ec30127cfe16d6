// gktune::Kernel on a GPU.
#include "runtime/kernel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/runtime/kernel_fixture.h"
#include "tuner/device/cuda/driver/driver.h"

namespace gktune {
namespace {

class GpuKernelTest : public KernelTest {
 protected:
  GpuKernelTest() : KernelTest("cuda") {}

  void SetUp() override {
    auto driver = Driver::open();
    int count = 0;
    if (!driver || driver->cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0) GTEST_SKIP() << "needs a GPU";
    driver_ = *driver;
    KernelTest::SetUp();
    check(driver_.cuDeviceGet(&gpu_, 0));
    check(driver_.cuDevicePrimaryCtxRetain(&context_, gpu_));
    check(driver_.cuCtxSetCurrent(context_));
    check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
    check(driver_.cuMemAlloc(&in_, kMost * sizeof(float)));
    check(driver_.cuMemAlloc(&out_, 2 * sizeof(float)));
    const std::vector<float> ones(kMost, 1.0f);
    check(driver_.cuMemcpyHtoDAsync(in_, ones.data(), kMost * sizeof(float), stream_));
    check(driver_.cuStreamSynchronize(stream_));
  }
  void TearDown() override {
    if (stream_ != nullptr) driver_.cuStreamDestroy(stream_);
  }

  void check(CUresult code) const { ASSERT_EQ(code, CUDA_SUCCESS) << driver_.describe(code); }
  Result<void> launch(Kernel& kernel, std::int64_t n) const {
    return kernel.launch({n}, {reinterpret_cast<const float*>(in_), reinterpret_cast<float*>(out_)}, stream_);
  }
  // The configuration that computed the total of n ones, if it is right; else 0.
  int used() const {
    float out[2] = {};
    check(driver_.cuMemcpyDtoHAsync(out, out_, sizeof out, stream_));
    check(driver_.cuStreamSynchronize(stream_));
    total_ = out[0];
    return static_cast<int>(out[1]);
  }
  int threads_used(Kernel& kernel, std::int64_t n) const {
    const auto done = launch(kernel, n);
    EXPECT_TRUE(done.ok()) << done.error().message;
    const int threads = used();
    EXPECT_EQ(total_, static_cast<float>(n));
    return threads;
  }
  static bool has_loaded(const std::string& library) {
    std::ifstream maps("/proc/self/maps");
    const std::string text{std::istreambuf_iterator<char>(maps), {}};
    return text.find(library) != std::string::npos;
  }

  static constexpr std::size_t kMost = 5000;
  Driver driver_;
  CUdevice gpu_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUdeviceptr in_ = 0, out_ = 0;
  mutable float total_ = 0;
};

TEST_F(GpuKernelTest, two_sizes_through_one_handle_get_their_own_configurations) {
  tuned(1000, 64);
  tuned(4000, 128);
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  EXPECT_EQ(threads_used(kernel, 4000), 128);
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  EXPECT_EQ(threads_used(kernel, 40), 32);
}

TEST_F(GpuKernelTest, launches_are_captured_in_a_graph_the_first_of_a_problem_too) {
  tuned(1000, 64);
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  for (const std::int64_t n : {1000, 3000}) {
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    check(driver_.cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
    const auto done = launch(kernel, n);
    EXPECT_TRUE(done.ok()) << done.error().message;
    check(driver_.cuStreamEndCapture(stream_, &graph));
    check(driver_.cuGraphInstantiateWithFlags(&executable, graph, 0));
    for (int i = 0; i < 3; ++i) {
      check(driver_.cuMemsetD8Async(out_, 0, 2 * sizeof(float), stream_));
      check(driver_.cuGraphLaunch(executable, stream_));
      EXPECT_EQ(used(), 64);
      EXPECT_EQ(total_, static_cast<float>(n));
    }
    driver_.cuGraphExecDestroy(executable);
    driver_.cuGraphDestroy(graph);
  }
}

TEST_F(GpuKernelTest, a_winner_that_does_not_compile_gives_way_to_the_next_and_is_reported_once) {
  tuned(1000, 96);
  tuned(4000, 64);
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  EXPECT_EQ(threads_used(kernel, 1100), 64);
  EXPECT_EQ(notices_.size(), 1u);
}

TEST_F(GpuKernelTest, a_winner_that_this_gpu_does_not_launch_gives_way_to_the_next_and_is_reported_once) {
  std::string source = kSource;
  const std::string plain = "__global__ void partial_sums";
  source.replace(source.find(plain), plain.size(),
                 "#if threads == 128\n#define LIMIT __launch_bounds__(64)\n#else\n#define LIMIT\n#endif\n"
                 "__global__ void LIMIT partial_sums");
  folder_.write("total.cu", source);
  tuned(1000, 128);
  tuned(4000, 64);
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_NE(notices_[0].find("threads=128: launch_failed"), std::string::npos) << notices_[0];
}

TEST_F(GpuKernelTest, several_threads_launch_one_kernel_in_streams_of_their_own) {
  tuned(1000, 64);
  tuned(4000, 128);
  Kernel kernel = open(with_database());
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      check(driver_.cuCtxSetCurrent(context_));
      CUstream stream = nullptr;
      CUdeviceptr out = 0;
      check(driver_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
      check(driver_.cuMemAlloc(&out, 2 * sizeof(float)));
      for (int i = 0; i < 20; ++i) {
        const std::int64_t n = i % 2 == 0 ? 1000 : 4000;
        const auto done =
            kernel.launch({n}, {reinterpret_cast<const float*>(in_), reinterpret_cast<float*>(out)}, stream);
        EXPECT_TRUE(done.ok()) << done.error().message;
        float result[2] = {};
        check(driver_.cuMemcpyDtoHAsync(result, out, sizeof result, stream));
        check(driver_.cuStreamSynchronize(stream));
        EXPECT_EQ(result[0], static_cast<float>(n));
        EXPECT_EQ(result[1], n == 1000 ? 64.0f : 128.0f);
      }
      driver_.cuMemFree(out);
      driver_.cuStreamDestroy(stream);
    });
  }
}

TEST_F(GpuKernelTest, a_launch_from_a_thread_without_a_context_leaves_it_without_one) {
  Kernel kernel = open(settings());
  EXPECT_EQ(threads_used(kernel, 1000), 32);
  std::jthread([&] {
    const auto done = launch(kernel, 2000);
    EXPECT_TRUE(done.ok()) << done.error().message;
    CUcontext current = context_;
    check(driver_.cuCtxGetCurrent(&current));
    EXPECT_EQ(current, nullptr);
  }).join();
  used();
  EXPECT_EQ(total_, 2000.0f);
}

TEST_F(GpuKernelTest, a_kernel_follows_its_database_when_another_process_tunes) {
  tuned(4000, 128);
  KernelSettings following = with_database();
  following.follow_interval = std::chrono::milliseconds(5);
  Kernel kernel = open(following);
  EXPECT_EQ(threads_used(kernel, 1000), 128);
  tuned(1000, 64);
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (threads_used(kernel, 1000) != 64 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(threads_used(kernel, 1000), 64);
}

TEST_F(GpuKernelTest, a_bundle_is_launched_without_sources_and_nvrtc) {
  tuned(1000, 64);
  tuned(4000, 128);
  const std::string command = std::string(GKTUNE_PROGRAM) + " bundle " + folder_.path("total.yaml") + " --db " +
                              folder_.path("gktune.db") + " --cache " + folder_.path("cache") + " -o " +
                              folder_.path("kernels.gkt");
  ASSERT_EQ(std::system(command.c_str()), 0);
  for (const char* gone : {"total.cu", "total.yaml", "gktune.db"}) std::filesystem::remove(folder_ / gone);
  KernelSettings bundled;
  bundled.device = "cuda";
  bundled.bundles = {folder_ / "kernels.gkt"};
  auto kernel = Kernel::open_bundled("total", bundled);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_EQ(threads_used(*kernel, 1000), 64);
  EXPECT_EQ(threads_used(*kernel, 4000), 128);
  EXPECT_EQ(threads_used(*kernel, 40), 32);
  EXPECT_FALSE(has_loaded("libnvrtc"));
}

TEST_F(GpuKernelTest, autotune_measures_a_missing_size_and_leaves_the_buffers_as_they_are) {
  tuned(1000, 64);
  Kernel kernel = open(with_database());
  check(driver_.cuMemsetD8Async(out_, 0, 2 * sizeof(float), stream_));
  const auto tuned = kernel.autotune(
      {50}, {reinterpret_cast<const float*>(in_), reinterpret_cast<float*>(out_)}, 60);
  ASSERT_TRUE(tuned.ok()) << tuned.error().message;
  EXPECT_EQ(tuned->match, Match::exact);
  EXPECT_EQ(used(), 0);
  EXPECT_EQ(threads_used(kernel, 50), 32);
}

TEST_F(GpuKernelTest, a_kernel_may_end_after_its_context) {
  Kernel kernel = open(settings());
  EXPECT_EQ(threads_used(kernel, 1000), 32);
  driver_.cuStreamDestroy(stream_);
  stream_ = nullptr;
  driver_.cuDevicePrimaryCtxRelease(gpu_);
}

}  // namespace
}  // namespace gktune
