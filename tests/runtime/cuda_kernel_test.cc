// gktune::Kernel with a driver that needs no GPU: contexts, streams, failures and the end of CUDA.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gktune/gktune.h"
#include "gktune/kernel.h"
#include "runtime/bundle/write_bundle.h"
#include "tests/expectations.h"
#include "tests/fake_cuda/fake_cuda.h"
#include "tests/runtime/allocation_count.h"
#include "tests/runtime/kernel_fixture.h"
#include "tuner/array/npy.h"
#include "tuner/device/cuda/driver/driver.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

class FakeMemory final : public KernelMemory {
 public:
  std::string device() const override { return "cuda"; }
  // The loader may find a real driver of the machine before the fake one.
  bool is_there() const override { return Driver::open()->cuCtxGetCurrent == &cuCtxGetCurrent; }
};
const FakeMemory kFakeMemory;

class CudaKernelTest : public KernelTest {
 protected:
  CudaKernelTest() : KernelTest(kFakeMemory) {}
  void SetUp() override {
    fake_cuda::reset();
    KernelTest::SetUp();
  }

  Kernel on(const std::string& device) {
    KernelSettings with = settings();
    with.device = device;
    return open(with);
  }
  // Launches without looking at what it computes.
  Result<void> launch(Kernel& kernel, std::int64_t n, CUstream stream = nullptr) const {
    return kernel.launch({n}, {static_cast<const float*>(in_), out_}, stream);
  }
  // The configuration of the latest launch.
  static unsigned threads() {
    const auto& launches = fake_cuda::launches();
    return launches.size() < 2 ? 0 : launches[launches.size() - 2].block;  // the last step has one thread
  }
  static CUcontext context_of(CUdevice device) {
    CUcontext context = nullptr;
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, device), CUDA_SUCCESS);
    return context;
  }
  static CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
    return context;
  }
  // Only the value of a stream's handle counts.
  static CUstream stream(std::uintptr_t number) { return reinterpret_cast<CUstream>(number); }

  mutable float in_[1] = {}, out_[2] = {};
};

constexpr const char* kAddSpace =
    "kernel: add\nsource: add.cu\nproblem: {n: [256, 512]}\n"
    "parameters: {threads: {values: [64, 128], default: 64}}\n"
    "arguments:\n  in: {type: int32, extent: n, init: zero}\n"
    "  out: {type: int32, extent: n, role: inout, init: zero}\n"
    "  n: {type: int32, value: n}\n  scale: {type: float, value: 2}\n"
    "launches: {entry: add, grid: \"ceil_div(n, threads)\", block: threads, arguments: [n, out, in, "
    "scale]}\n";

// A kernel of one launch, which has no scratch memory and no fills.
class CudaPlainKernelTest : public CudaKernelTest {
 protected:
  void SetUp() override {
    CudaKernelTest::SetUp();
    folder_.write(
        "add.cu",
        "extern \"C\" __global__ void add(int n, int* out, const int* in, float scale) {\n"
        "  if (blockIdx.x * blockDim.x + threadIdx.x < n) *out += threads + *in * int(scale);\n}\n");
    folder_.write("add.yaml", kAddSpace);
  }
  Kernel open_add(KernelSettings with) const { return *Kernel::open(folder_.path("add.yaml"), with); }
  Result<void> add(Kernel& kernel, std::int64_t n, CUstream stream = nullptr) const {
    return kernel.launch({n}, {static_cast<const int*>(values_), values_ + 1, 2.0f}, stream);
  }
  // The value of n in the latest launch.
  static int n_of_launch() {
    return static_cast<int>(fake_cuda::launches().back().first_argument & 0xffffffff);
  }

  mutable int values_[2] = {};
};

TEST_F(CudaPlainKernelTest, each_problem_has_its_own_numbers_and_grid) {
  Kernel kernel = open_add(settings());
  for (const int n : {256, 512, 256, 300}) {
    ASSERT_TRUE(add(kernel, n, stream(64)).ok());
    EXPECT_EQ(n_of_launch(), n);
    EXPECT_EQ(fake_cuda::launches().back().grid, static_cast<unsigned>((n + 63) / 64));
    EXPECT_EQ(fake_cuda::launches().back().stream, stream(64));
  }
}

TEST_F(CudaPlainKernelTest, launches_run_in_the_kernels_context_and_keep_the_callers_current) {
  Kernel kernel = [&] {
    KernelSettings with = settings();
    with.device = "cuda:0";
    return open_add(with);
  }();
  const CUcontext own = context_of(0), other = context_of(1);
  // The first launch finds any of them, and so does every later one.
  for (const CUcontext current_one : {other, own, static_cast<CUcontext>(nullptr), own, other, own}) {
    for (const std::uintptr_t number : {0, 1, 2, 64}) {
      std::jthread([&] {
        cuCtxSetCurrent(current_one);
        for (const int n : {256, 512}) {
          const auto done = add(kernel, n, stream(number));
          EXPECT_TRUE(done.ok()) << done.error().message;
          EXPECT_EQ(current(), current_one);
          EXPECT_EQ(fake_cuda::launches().back().device, 0);
        }
      }).join();
    }
  }
  EXPECT_EQ(fake_cuda::launches().size(), 6u * 4 * 2);
}

TEST_F(CudaPlainKernelTest, a_hot_launch_asks_for_the_current_context_in_default_streams_only) {
  cuCtxSetCurrent(context_of(0));
  Kernel kernel = open_add(settings());
  ASSERT_TRUE(add(kernel, 256, stream(64)).ok());
  const int asked = fake_cuda::questions_for_context();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(add(kernel, 256, stream(64)).ok());
  EXPECT_EQ(fake_cuda::questions_for_context(), asked);
  ASSERT_TRUE(add(kernel, 256).ok());
  EXPECT_EQ(fake_cuda::questions_for_context(), asked + 1);
}

TEST_F(CudaPlainKernelTest, the_next_configuration_replaces_a_refused_hot_launch) {
  cuCtxSetCurrent(context_of(0));
  Kernel kernel = open_add(settings());
  ASSERT_TRUE(add(kernel, 256, stream(64)).ok());
  fake_cuda::on_launch([](const fake_cuda::Launch&) { return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES; });
  EXPECT_TRUE(contains(message_of(add(kernel, 256, stream(64))), "no configuration of add works for n=256"));
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_TRUE(contains(notices_[0], "threads=64: launch_failed"));
}

TEST_F(CudaPlainKernelTest, arguments_are_checked_and_may_be_in_any_order) {
  KernelSettings with = settings();
  with.arguments = {"scale", "out", "in", "n"};
  Kernel kernel = open_add(with);
  const auto launch = [&](std::initializer_list<LaunchArgument> arguments) {
    const auto done = kernel.launch({256}, arguments, stream(64));
    return done.ok() ? "none" : done.error().message;
  };
  const int in = 1;
  EXPECT_EQ(launch({2.0f, values_, &in, 77}), "none");
  EXPECT_EQ(n_of_launch(), 77);
  EXPECT_EQ(launch({2.0f, static_cast<void*>(values_), values_, 78}), "none");
  EXPECT_EQ(launch({2.0f, &in, &in, 77}), "argument 2 of add, 'out', is int32*, not const int32*");
  EXPECT_EQ(launch({2.0, values_, &in, 77}), "none");  // nothing is lost
  EXPECT_EQ(launch({2.1, values_, &in, 77}), "argument 1 of add, 'scale', is float32, not float64: 2.1 is none of its values");
  EXPECT_EQ(launch({2.0f, values_, &in, values_}), "argument 4 of add, 'n', is int32, not int32*");
  EXPECT_TRUE(contains(launch({2.0f, values_, &in}), "takes 4 arguments"));
}

TEST_F(CudaPlainKernelTest, problems_share_the_module_of_their_code_if_they_use_it_alike) {
  Kernel kernel = open_add(settings());
  for (const int n : {256, 512, 300}) ASSERT_TRUE(add(kernel, n).ok());
  EXPECT_EQ(fake_cuda::live_modules(), 1);
  // Dynamic shared memory is a property of the module's function.
  folder_.write("add.yaml", std::regex_replace(std::string(kAddSpace), std::regex("block: threads,"),
                                               "block: threads, shared: 4 * n,"));
  Kernel sharing = open_add(settings());
  for (const int n : {256, 512, 256}) ASSERT_TRUE(add(sharing, n).ok());
  EXPECT_EQ(fake_cuda::live_modules(), 3);
}

TEST_F(CudaPlainKernelTest, hot_launches_from_cpp_and_c_allocate_nothing) {
  cuCtxSetCurrent(context_of(0));
  Kernel plain = open_add(settings()), steps = open(settings());
  gktune_settings* with = nullptr;
  gktune_kernel* from_c = nullptr;
  ASSERT_EQ(gktune_settings_create(&with), GKTUNE_OK);
  ASSERT_EQ(gktune_settings_set(with, "device", "cuda"), GKTUNE_OK);
  ASSERT_EQ(gktune_settings_set(with, "cache", (*cache_ / "code").c_str()), GKTUNE_OK);
  ASSERT_EQ(gktune_kernel_open(folder_.path("add.yaml").c_str(), with, &from_c), GKTUNE_OK)
      << gktune_message();
  const gktune_value n{GKTUNE_INTEGER, 0, 256, 0, nullptr};
  const auto address = reinterpret_cast<std::uintptr_t>(values_);
  const gktune_argument arguments[] = {{GKTUNE_CONST_POINTER, GKTUNE_INT32, address},
                                       {GKTUNE_POINTER, GKTUNE_INT32, address},
                                       {GKTUNE_SCALAR, GKTUNE_FLOAT32, std::bit_cast<std::uint32_t>(2.0f)}};
  const auto launch_all = [&] {
    bool is_queued = add(plain, 256, stream(64)).ok() && add(plain, 512).ok();
    is_queued = is_queued && launch(steps, 1000, stream(64)).ok();
    return is_queued && gktune_kernel_launch(from_c, &n, 1, arguments, 3, 64) == GKTUNE_OK;
  };
  ASSERT_TRUE(launch_all()) << gktune_message();
  fake_cuda::note_launches(false);
  const std::size_t allocations = allocation_count();
  ASSERT_GT(allocations, 0u);
  bool is_queued = true;
  for (int i = 0; i < 100; ++i) is_queued = launch_all() && is_queued;
  EXPECT_EQ(allocation_count(), allocations);
  EXPECT_TRUE(is_queued);
  gktune_kernel_destroy(from_c);
  gktune_settings_destroy(with);
}

TEST_F(CudaKernelTest, every_step_is_launched_in_the_stream_of_the_caller) {
  tuned(1000, 64);
  Kernel kernel = open(with_database());
  ASSERT_TRUE(launch(kernel, 1000, stream(64)).ok());
  const auto& launches = fake_cuda::launches();
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_TRUE(contains(launches[0].kernel, "partial_sums"));
  EXPECT_TRUE(contains(launches[1].kernel, "finish"));
  EXPECT_EQ(launches[0].grid, 4u);
  EXPECT_EQ(launches[0].block, 64u);
  EXPECT_EQ(launches[1].block, 1u);
  for (const auto& each : launches) EXPECT_EQ(each.stream, stream(64));
}

TEST_F(CudaKernelTest, each_stream_has_its_own_scratch_memory) {
  Kernel kernel = open(settings());
  for (const std::uintptr_t number : {1, 2, 1}) ASSERT_TRUE(launch(kernel, 1000, stream(number)).ok());
  const auto& launches = fake_cuda::launches();
  ASSERT_EQ(launches.size(), 6u);
  EXPECT_NE(launches[1].first_argument, launches[3].first_argument);
  EXPECT_EQ(launches[1].first_argument, launches[5].first_argument);
}

TEST_F(CudaKernelTest, the_context_of_the_calling_thread_stays_current) {
  Kernel kernel = on("cuda:0");
  for (const CUcontext own : {static_cast<CUcontext>(nullptr), context_of(0), context_of(1)}) {
    std::jthread([&] {
      cuCtxSetCurrent(own);
      const auto done = launch(kernel, 1000);
      EXPECT_TRUE(done.ok()) << done.error().message;
      EXPECT_EQ(current(), own);
      EXPECT_EQ(fake_cuda::launches().back().device, 0);
    }).join();
  }
}

TEST_F(CudaKernelTest, a_kernel_launches_on_its_own_device) {
  Kernel first = on("cuda:0"), second = on("cuda:1");
  for (const CUdevice device : {0, 1, 1, 0}) {
    ASSERT_TRUE(launch(device == 0 ? first : second, 1000).ok());
    EXPECT_EQ(fake_cuda::launches().back().device, device);
  }
  KernelSettings missing = settings();
  missing.device = "cuda:2";
  EXPECT_TRUE(contains(error_of(missing), "find the GPU"));
}

TEST_F(CudaKernelTest, a_kernel_belongs_to_the_context_of_the_thread_that_opens_it) {
  cuCtxSetCurrent(context_of(1));
  Kernel kernel = open(settings());
  cuCtxSetCurrent(context_of(0));
  ASSERT_TRUE(launch(kernel, 1000).ok());
  EXPECT_EQ(fake_cuda::launches().back().device, 1);
}

TEST_F(CudaKernelTest, a_winner_that_the_device_refuses_is_replaced_and_reported_once) {
  tuned(1000, 128);
  tuned(4000, 64);
  fake_cuda::on_launch([](const fake_cuda::Launch& launch) {
    return launch.block == 128 ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : CUDA_SUCCESS;
  });
  Kernel kernel = open(with_database());
  for (int i = 0; i < 2; ++i) {
    launch(kernel, 1000).value();
    EXPECT_EQ(threads(), 64u);
  }
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_TRUE(contains(notices_[0], "threads=128: launch_failed"));
}

TEST_F(CudaKernelTest, a_winner_that_the_device_refuses_for_one_size_serves_the_others) {
  tuned(1000, 128);
  fake_cuda::on_launch([first = true](const fake_cuda::Launch& launch) mutable {
    const bool is_refused = first && launch.block == 128;
    if (is_refused) first = false;
    return is_refused ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
  Kernel kernel = open(with_database());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(launch(kernel, 1000).ok());
    EXPECT_EQ(threads(), 32u);
    ASSERT_TRUE(launch(kernel, 2000).ok());
    EXPECT_EQ(threads(), 128u);
  }
}

TEST_F(CudaKernelTest, a_lost_context_is_an_error_and_not_blamed_on_the_configuration) {
  tuned(1000, 128);
  Kernel kernel = open(with_database());
  fake_cuda::on_launch([](const fake_cuda::Launch&) { return CUDA_ERROR_ILLEGAL_ADDRESS; });
  EXPECT_TRUE(contains(message_of(launch(kernel, 1000)), "cannot launch the kernel"));
  EXPECT_TRUE(notices_.empty());
}

TEST_F(CudaKernelTest, the_first_launch_for_a_problem_does_not_disturb_a_capture) {
  cuCtxSetCurrent(context_of(0));
  Kernel kernel = open(settings());
  CUstream captured = nullptr;
  CUgraph graph = nullptr;
  CUdeviceptr memory = 0;
  ASSERT_EQ(cuStreamCreate(&captured, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  for (const std::int64_t n : {1000, 2000, 1000}) {
    const auto done = launch(kernel, n, captured);
    EXPECT_TRUE(done.ok()) << done.error().message;
  }
  EXPECT_EQ(fake_cuda::calls_that_break_captures(), 0);
  EXPECT_NE(cuMemAlloc(&memory, 4), CUDA_SUCCESS);  // the thread's mode is again what it was
  EXPECT_EQ(fake_cuda::calls_that_break_captures(), 1);
  EXPECT_EQ(cuStreamEndCapture(captured, &graph), CUDA_SUCCESS);
  cuStreamDestroy(captured);
}

// A kernel that is repeated until it has written its flag.
class CudaLoopTest : public CudaKernelTest {
 protected:
  void SetUp() override {
    CudaKernelTest::SetUp();
    folder_.write("loop.cu", "extern \"C\" __global__ void turn(int* done) { *done = 1; }\n");
    folder_.write("loop.yaml",
                  "kernel: loop\nsource: loop.cu\nproblem: {most: [2, 9]}\n"
                  "arguments: {done: {type: int32, extent: 1, role: inout, init: zero}}\n"
                  "launches: {repeat: most, until: done, launches: {entry: turn, arguments: [done]}}\n");
    cuCtxSetCurrent(context_of(0));
    ASSERT_EQ(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    kernel_.emplace(*Kernel::open(folder_.path("loop.yaml"), settings()));
    fake_cuda::on_launch([this](const fake_cuda::Launch& launch) {
      *reinterpret_cast<int*>(launch.first_argument) = ++rounds_ == 3 ? 1 : 0;
      return CUDA_SUCCESS;
    });
  }
  void TearDown() override {
    kernel_.reset();
    cuStreamDestroy(stream_);
  }
  Result<void> loop(std::int64_t most) { return kernel_->launch({most}, {&done_}, stream_); }

  CUstream stream_ = nullptr;
  std::optional<Kernel> kernel_;
  int rounds_ = 0, done_ = 0;
};

TEST_F(CudaLoopTest, the_flag_is_read_in_the_stream_of_the_caller_after_each_round) {
  const auto done = loop(9);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(rounds_, 3);
  EXPECT_EQ(fake_cuda::downloads(), std::vector(3, stream_));
}

TEST_F(CudaLoopTest, it_ends_after_its_rounds_without_the_flag) {
  ASSERT_TRUE(loop(2).ok());
  EXPECT_EQ(rounds_, 2);
  EXPECT_EQ(fake_cuda::downloads().size(), 1u);
}

TEST_F(CudaLoopTest, it_is_refused_in_a_stream_that_is_captured_and_runs_after_it) {
  CUgraph graph = nullptr;
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(message_of(loop(9)),
            "loop: the stream is captured: a repeat with until waits for it after each round");
  EXPECT_EQ(cuStreamEndCapture(stream_, &graph), CUDA_SUCCESS);
  EXPECT_EQ(rounds_, 0);
  EXPECT_TRUE(loop(9).ok());
  EXPECT_EQ(rounds_, 3);
  EXPECT_TRUE(notices_.empty());
}

TEST_F(CudaKernelTest, a_kernel_releases_its_resources) {
  {
    Kernel kernel = open(settings());
    ASSERT_TRUE(launch(kernel, 1000).ok());
    ASSERT_TRUE(launch(kernel, 2000, stream(1)).ok());
    EXPECT_GT(fake_cuda::live_objects(), 0);
  }
  EXPECT_EQ(fake_cuda::live_objects(), 0);
}

TEST_F(CudaKernelTest, nothing_is_released_after_the_end_of_cuda) {
  {
    Kernel kernel = open(settings());
    ASSERT_TRUE(launch(kernel, 1000).ok());
    fake_cuda::shut_down();
    EXPECT_FALSE(launch(kernel, 1000).ok());
  }
  EXPECT_EQ(fake_cuda::late_releases(), 0);
  EXPECT_GT(fake_cuda::live_objects(), 0);
}

// The script in place of the worker copies the inputs that a worker would read, and fails.
TEST_F(CudaKernelTest, autotune_copies_the_inputs_in_its_own_stream) {
  folder_.write("worker", "#!/bin/sh\ncd '" + folder_.path("tmp") + "' && cp gktune-*/*.npy ..\nexit 1\n");
  fs::permissions(folder_ / "worker", fs::perms(0755));
  fs::create_directory(folder_ / "tmp");
  tuned(1000, 64);
  KernelSettings with = with_database();
  with.worker = {folder_.path("worker")};
  Kernel kernel = open(with);
  ASSERT_TRUE(kernel.prepare({50}).ok());
  std::vector<float> in(50);
  std::iota(in.begin(), in.end(), 1.0f);
  cuCtxSetCurrent(context_of(0));
  CUstream captured = nullptr;
  CUgraph graph = nullptr;
  ASSERT_EQ(cuStreamCreate(&captured, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  const int objects = fake_cuda::live_objects();

  const char* before = std::getenv("TMPDIR");
  const std::optional<std::string> temporary =
      before != nullptr ? std::optional<std::string>(before) : std::nullopt;
  ::setenv("TMPDIR", folder_.path("tmp").c_str(), 1);
  const auto done = kernel.autotune({50}, {static_cast<const float*>(in.data()), out_}, 5);
  if (temporary) ::setenv("TMPDIR", temporary->c_str(), 1);
  else ::unsetenv("TMPDIR");

  ASSERT_FALSE(done.ok());
  EXPECT_TRUE(contains(done.error().message, "autotune of total found no configuration that works: "));
  EXPECT_TRUE(fake_cuda::launches().empty());
  ASSERT_EQ(fake_cuda::downloads().size(), 1u);
  EXPECT_NE(fake_cuda::downloads()[0], captured);
  EXPECT_NE(fake_cuda::downloads()[0], nullptr);
  EXPECT_EQ(fake_cuda::calls_that_break_captures(), 0);
  EXPECT_EQ(fake_cuda::live_objects(), objects);
  EXPECT_EQ(cuStreamEndCapture(captured, &graph), CUDA_SUCCESS);
  cuStreamDestroy(captured);
  std::vector<float> copy(50);
  const auto read =
      read_npy(folder_.path("0.npy"), ElementType::float32, std::as_writable_bytes(std::span(copy)));
  ASSERT_TRUE(read.ok()) << read.error().message << done.error().message;
  EXPECT_EQ(copy, in);
  EXPECT_FALSE(fs::exists(folder_ / "1.npy"));  // the output
  EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
}

TEST_F(CudaKernelTest, machine_code_of_a_bundle_is_launched_without_sources) {
  tuned(1000, 64);
  BundleRequest request;
  request.space_files = {folder_.path("total.yaml")};
  request.databases = {folder_ / "gktune.db"};
  request.cache_dir = *cache_ / "code";
  const auto path = folder_ / "kernels.gkt";
  write_bundle(path, request).value();
  for (const char* gone : {"total.cu", "total.yaml", "gktune.db"}) std::filesystem::remove(folder_ / gone);
  KernelSettings bundled;
  bundled.device = "cuda";
  bundled.bundles = {path};
  auto kernel = Kernel::open_bundled("total", bundled);
  ASSERT_TRUE(launch(*kernel, 1000).ok());
  EXPECT_EQ(threads(), 64u);
}

TEST_F(CudaKernelTest, attributes_of_a_launch_reach_the_driver) {
  auto kernel = Kernel::open(GKTUNE_SOURCE_DIR "/tests/kernels/launches/cooperative.yaml", settings());
  int value = 0;
  kernel->launch({1000}, {static_cast<const int*>(&value), &value}).value();
  EXPECT_EQ(
      fake_cuda::launches().back().attributes,
      (std::vector{CU_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT}));
}

}  // namespace
}  // namespace gktune
