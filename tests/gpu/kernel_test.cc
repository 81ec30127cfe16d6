// gktune::Kernel on a GPU.
#include "gktune/kernel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/kernel_fixture.h"
#include "tests/scratch_folder.h"
#include "tuner/device/cuda/driver/driver.h"

namespace gktune {
namespace {

// The first GPU, with its primary context, which lives until a test releases it. Buffers and
// a stream of each call's own.
class GpuMemory final : public KernelMemory {
 public:
  std::string device() const override { return "cuda"; }
  bool is_there() const override {
    int count = 0;
    if (!driver_.ok() || driver().cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0) return false;
    retain_context();
    return true;
  }
  const Driver& driver() const { return *driver_; }
  void check(CUresult code) const { ASSERT_EQ(code, CUDA_SUCCESS) << driver().describe(code); }

  void with_ones(std::int64_t n, Totals& totals, const Use& use) const override {
    CUcontext context = nullptr;
    CUstream stream = nullptr;
    CUdeviceptr in = 0, out = 0;
    const std::vector<float> ones(static_cast<std::size_t>(n), 1.0f);
    check(driver().cuCtxPushCurrent(context_));
    check(driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check(driver().cuMemAlloc(&in, ones.size() * sizeof(float)));
    check(driver().cuMemAlloc(&out, sizeof totals));
    check(driver().cuMemcpyHtoDAsync(in, ones.data(), ones.size() * sizeof(float), stream));
    check(driver().cuMemcpyHtoDAsync(out, totals.data(), sizeof totals, stream));
    check(driver().cuStreamSynchronize(stream));
    use(reinterpret_cast<const float*>(in), reinterpret_cast<float*>(out), stream);
    check(driver().cuMemcpyDtoHAsync(totals.data(), out, sizeof totals, stream));
    check(driver().cuStreamSynchronize(stream));
    check(driver().cuMemFree(in));
    check(driver().cuMemFree(out));
    check(driver().cuStreamDestroy(stream));
    check(driver().cuCtxPopCurrent(&context));
  }

  void retain_context() const {
    if (context_ != nullptr) return;
    check(driver().cuDeviceGet(&gpu_, 0));
    check(driver().cuDevicePrimaryCtxRetain(&context_, gpu_));
  }
  void release_context() const {
    check(driver().cuDevicePrimaryCtxRelease(gpu_));
    context_ = nullptr;
  }

 private:
  const Result<Driver> driver_ = Driver::open();
  mutable CUdevice gpu_ = 0;
  mutable CUcontext context_ = nullptr;
};
const GpuMemory kGpuMemory;

INSTANTIATE_TEST_SUITE_P(Gpu, KernelLaunches, testing::Values(&kGpuMemory));

class GpuKernelTest : public KernelTest {
 protected:
  GpuKernelTest() : KernelTest(kGpuMemory) {}

  const Driver& driver() const { return kGpuMemory.driver(); }
  static void check(CUresult code) { kGpuMemory.check(code); }
  static bool has_loaded(const std::string& library) {
    return contents_of("/proc/self/maps").find(library) != std::string::npos;
  }
};

TEST_F(GpuKernelTest, a_graph_captures_launches_even_the_first_of_a_problem) {
  tuned(1000, 64);
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  for (const std::int64_t n : {1000, 3000}) {
    Totals totals{};
    memory_.with_ones(n, totals, [&](const float* in, float* out, void* given) {
      const auto stream = static_cast<CUstream>(given);
      const auto address = reinterpret_cast<CUdeviceptr>(out);
      CUgraph graph = nullptr;
      CUgraphExec executable = nullptr;
      check(driver().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
      const auto done = kernel.launch({n}, {in, out}, stream);
      EXPECT_TRUE(done.ok()) << done.error().message;
      check(driver().cuStreamEndCapture(stream, &graph));
      check(driver().cuGraphInstantiateWithFlags(&executable, graph, 0));
      for (int i = 0; i < 3; ++i) {
        check(driver().cuMemsetD8Async(address, 0, sizeof totals, stream));
        check(driver().cuGraphLaunch(executable, stream));
        check(driver().cuMemcpyDtoHAsync(totals.data(), address, sizeof totals, stream));
        check(driver().cuStreamSynchronize(stream));
        EXPECT_EQ(totals, (Totals{static_cast<float>(n), 64.0f}));
      }
      driver().cuGraphExecDestroy(executable);
      driver().cuGraphDestroy(graph);
    });
  }
}

TEST_F(GpuKernelTest, a_hot_launch_runs_in_the_context_of_its_kernel) {
  folder_.write("add.cu", "extern \"C\" __global__ void add(int* out, int n) { out[0] += n; }\n");
  folder_.write(
      "add.yaml",
      "kernel: add\nsource: add.cu\nproblem: {n: [1, 2]}\nparameters: {threads: [1]}\n"
      "arguments:\n  out: {type: int32, extent: 2, role: inout, init: zero}\n  n: {type: int32, value: n}\n"
      "launches: {entry: add, grid: 1, block: threads, arguments: [out, n]}\n");
  auto kernel = Kernel::open(folder_.path("add.yaml"), settings());
  Totals sums{};  // integers here
  memory_.with_ones(1, sums, [&](const float*, float* out, void* given) {
    const auto stream = static_cast<CUstream>(given);
    CUcontext own = nullptr;
    check(driver().cuCtxGetCurrent(&own));
    const auto launch = [&](CUstream in) {
      const auto done = kernel->launch({1}, {static_cast<void*>(out)}, in);
      EXPECT_TRUE(done.ok()) << done.error().message;
    };
    for (int i = 0; i < 3; ++i) launch(stream);
    std::jthread([&] {
      CUcontext current = nullptr;
      CUgraph graph = nullptr;
      CUgraphExec executable = nullptr;
      launch(stream);
      check(driver().cuCtxGetCurrent(&current));
      EXPECT_EQ(current, nullptr);
      check(driver().cuCtxSetCurrent(own));
      check(driver().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
      check(driver().cuCtxSetCurrent(nullptr));
      launch(stream);
      check(driver().cuCtxSetCurrent(own));
      check(driver().cuStreamEndCapture(stream, &graph));
      check(driver().cuGraphInstantiateWithFlags(&executable, graph, 0));
      check(driver().cuGraphLaunch(executable, stream));
      check(driver().cuStreamSynchronize(stream));
      driver().cuGraphExecDestroy(executable);
      driver().cuGraphDestroy(graph);
    }).join();
    launch(stream);
    check(driver().cuStreamSynchronize(stream));
    std::jthread([&] { launch(nullptr); }).join();  // the default stream of the kernel's context
    check(driver().cuCtxSynchronize());
  });
  int sum = 0;
  std::memcpy(&sum, &sums[0], sizeof sum);
  EXPECT_EQ(sum, 7);
}

TEST_F(GpuKernelTest, a_bundle_is_launched_without_sources_and_nvrtc) {
  ASSERT_TRUE(std::filesystem::exists(GKTUNE_PROGRAM)) << GKTUNE_PROGRAM;
  tuned(1000, 64);
  tuned(4000, 128);
  const std::string command = std::string(GKTUNE_PROGRAM) + " bundle " + folder_.path("total.yaml") +
                              " --db " + folder_.path("gktune.db") + " --cache " + folder_.path("cache") +
                              " -o " + folder_.path("kernels.gkt");
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  for (const char* gone : {"total.cu", "total.yaml", "gktune.db"}) std::filesystem::remove(folder_ / gone);
  // Other tests of this process load NVRTC, so the launches run in a new process that runs only this test.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        KernelSettings bundled;
        bundled.device = "cuda";
        bundled.bundles = {folder_ / "kernels.gkt"};
        auto kernel = Kernel::open_bundled("total", bundled);
        EXPECT_EQ(threads_used(*kernel, 1000), 64);
        EXPECT_EQ(threads_used(*kernel, 4000), 128);
        EXPECT_EQ(threads_used(*kernel, 40), 32);
        EXPECT_FALSE(has_loaded("libnvrtc"));
        std::exit(HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(GpuKernelTest, a_kernel_may_end_after_its_context) {
  Kernel kernel = open(settings());
  EXPECT_EQ(threads_used(kernel, 1000), 32);
  kGpuMemory.release_context();
}

}  // namespace
}  // namespace gktune
