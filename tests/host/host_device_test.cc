#include <gtest/gtest.h>

#include <future>

#include "tests/expectations.h"
#include "tuner/device/host/compile/host_compiler.h"
#include "tuner/device/host/host_backend.h"
#include "tuner/device/run/device_runner.h"
#include "tuner/device/worker/cores.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

// There are as many blocks as threads. Each waits for the others, so every thread must run one.
constexpr const char* kCores = R"cpp(
#include <sched.h>
#include <time.h>
  inline __device__ int mask_size() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  }
  __global__ void meet(int* is_bound, int* arrived, int n) {
    is_bound[blockIdx.x] = mask_size() <= 1;
    atomicAdd(arrived, 1);
    const time_t end = time(nullptr) + 10;
    while (atomicAdd(arrived, 0) < n && time(nullptr) < end) sched_yield();
  }
  __global__ void has_all(int* has_cores, int n) { has_cores[blockIdx.x] = mask_size() == n; }
  __global__ void all_bound(int* is_bound, int n) {
    for (int i = 0; i < n; ++i) is_bound[i] = 1;
  }
)cpp";

constexpr const char* kCoresSpace = R"yaml(
kernel: cores
source: cores.cu
problem: {n: [1]}
arguments:
  is_bound: {type: int32, extent: n, role: out, check: exact}
  arrived: {type: int32, extent: 1, role: scratch}
  n: {type: int32, value: n}
launches:
  - {fill: arrived, byte: 0}
  - {entry: meet, grid: n, block: 1, arguments: [is_bound, arrived, n]}
reference: {launches: {entry: all_bound, arguments: [is_bound, n]}}
)yaml";

constexpr const char* kAllCoresSpace = R"yaml(
kernel: cores
source: cores.cu
problem: {n: [1]}
arguments:
  has_cores: {type: int32, extent: n, role: out, check: exact}
  n: {type: int32, value: n}
launches: {entry: has_all, grid: n, block: 1, arguments: [has_cores, n]}
reference: {launches: {entry: all_bound, arguments: [has_cores, n]}}
)yaml";

constexpr const char* kScalars = R"cpp(
#include <cstddef>
  void store(double* out, short small, float real, unsigned long large) {
    out[0] = small;
    out[1] = real;
    out[2] = static_cast<double>(large);
  }
  void store_constants(double* out) {
    out[0] = -2;
    out[1] = 0.5;
    out[2] = 1099511627776.0;
  }
)cpp";

constexpr const char* kScalarsSpace = R"yaml(
kernel: scalars
language: c++
source: scalars.cc
problem: {n: [3]}
arguments:
  out: {type: double, extent: n, role: out, check: exact}
  small: {type: int16, value: "0 - 2"}
  real: {type: float, value: 0.5}
  large: {type: uint64, value: 1099511627776}
launches: {entry: store, arguments: [out, small, real, large]}
reference: {launches: {entry: store_constants, arguments: [out]}}
)yaml";

Result<std::string> read_test_file(const std::string& path) {
  if (path.ends_with("scalars.cc")) return std::string(kScalars);
  if (path.ends_with("cores.cu")) return std::string(kCores);
  return Error{"there is no such file"};
}

class HostDeviceTest : public ::testing::Test {
 protected:
  void take(const Result<Definition, std::vector<Diagnostic>>& definition) {
    ASSERT_TRUE(definition.ok()) << definition.error().front().str();
    kernel_ = definition->kernel;
    problem_ = {{"n", kernel_.axes[0].values[0]}};
  }
  void read(const std::string& space) { take(read_space_text(space, "test.yaml", {}, read_test_file)); }
  void read_variance() { take(read_space_file(GKTUNE_SOURCE_DIR "/tests/kernels/variance.yaml")); }

  Module compiled(const SourcePlan& source) {
    CompileJob job;
    job.variants = {source};
    job.cache_dir = GKTUNE_TEST_CACHE;
    const CompiledVariant variant = compiler_.compile(job)[0];
    EXPECT_EQ(variant.status, Status::ok) << variant.log;
    return variant.module;
  }

  RunJob job_of(const Config& config, Instrumentation instrumentation = Instrumentation::none) {
    DeviceInfo device;
    device.kind = "host";
    RunJob job;
    auto plan = resolve(kernel_, config, problem_, device);
    job.plan = std::move(*plan);
    job.plan.candidate.source.instrumentation = instrumentation;
    job.check_only = instrumentation != Instrumentation::none;
    job.candidate = compiled(job.plan.candidate.source);
    job.reference = compiled(job.plan.reference.source);
    return job;
  }

  HostCompiler compiler_{"c++"};
  DeviceRunner runner_{make_host_device(std::size_t{1} << 20)};
  KernelDefinition kernel_;
  Problem problem_;
};

TEST_F(HostDeviceTest, each_thread_that_runs_blocks_stays_on_one_core) {
  const std::vector<int> before = own_cores();
  if (before.empty()) GTEST_SKIP() << "here a thread may not ask which cores it has";
  // This thread pins itself to a core. If it has lost its core at the end, the system
  // does not let threads keep theirs.
  std::promise<void> is_over;
  std::future<bool> is_faithful = std::async(std::launch::async, [&] {
    const PinnedHere pinned(before.back());
    is_over.get_future().wait();
    return own_cores() == std::vector{before.back()};
  });
  read(kCoresSpace);
  problem_ = {{"n", static_cast<std::int64_t>(own_core_count())}};
  const RunReply reply = runner_.run(job_of({}));
  const std::vector<int> after = own_cores();
  is_over.set_value();
  if (!is_faithful.get()) GTEST_SKIP() << "here no thread keeps to a core";
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_EQ(after, before);
}

// Several processes sanitize at a time: on one core they would take turns.
TEST_F(HostDeviceTest, an_instrumented_kernel_may_run_on_any_core) {
  read(kAllCoresSpace);
  problem_ = {{"n", static_cast<std::int64_t>(own_core_count())}};
  const RunReply reply = runner_.run(job_of({}, Instrumentation::sanitize));
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
}

TEST_F(HostDeviceTest, a_reply_has_the_geometry_of_the_first_step) {
  read_variance();
  const RunReply reply = runner_.run(job_of({{"kThreads", 64}, {"blocks", 20}}));
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_EQ(reply.resources.grid[0], 20);
  EXPECT_EQ(reply.resources.block[0], 64);
}

TEST_F(HostDeviceTest, an_error_names_arguments_that_do_not_fit_a_function) {
  read_variance();
  const RunJob job = job_of({{"kThreads", 64}, {"blocks", 4}});
  RunJob few = job;
  few.plan.candidate.steps[1].arguments = {1, 2};
  EXPECT_EQ(runner_.run(few).message, "variance has 4 parameters and is given 2 arguments");
  RunJob swapped = job;
  swapped.plan.candidate.steps[1].arguments = {3, 1, 2, 3};
  EXPECT_EQ(runner_.run(swapped).message, "parameter 1 of variance is a pointer, 'n' is a scalar");
  RunJob wide = job;
  wide.plan.arguments[3].type = ElementType::int64;
  EXPECT_TRUE(ended(runner_.run(wide), Status::launch_failed,
                    "parameter 3 of moments has 4 bytes, 'n' is int64 and has 8"));
}

TEST_F(HostDeviceTest, scalars_have_the_bytes_of_their_type) {
  read(kScalarsSpace);
  const RunReply reply = runner_.run(job_of({}));
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
}

TEST_F(HostDeviceTest, an_error_names_the_argument_whose_contents_cannot_be_read) {
  read_variance();
  RunJob job = job_of({{"kThreads", 64}, {"blocks", 4}});
  job.plan.arguments[0].contents.kind = ContentsKind::file;
  job.plan.arguments[0].contents.file = "/nonexistent.npy";
  EXPECT_TRUE(
      ended_with(runner_.run(job), Status::invalid, "argument 'in': /nonexistent.npy: cannot be opened"));
}

}  // namespace
}  // namespace gktune
