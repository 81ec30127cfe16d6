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

constexpr const char* kSource = R"cuda(
// A fill and two steps: partial sums into scratch memory, then one sum of them.
__global__ void partial_sums(const int* in, int* partial, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  atomicAdd(&partial[blockIdx.x], sum);
}
__global__ void total(const int* partial, int* out, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += partial[i];
  out[0] = sum + WRONG;
}
__global__ void plain_total(const int* in, int* out, int n) {
  out[0] = 0;
  for (int i = 0; i < n; ++i) out[0] += in[i];
}
)cuda";

constexpr const char* kSumSpace = R"yaml(
kernel: sum
source: sum.cu
problem: {n: [10007]}
parameters: {blocks: [1, 3, 50], WRONG: [0, 1]}
arguments:
  in: {type: int32, extent: n, init: {uniform: [-100, 100]}}
  out: {type: int32, extent: 1, role: out, check: exact}
  partial: {type: int32, extent: blocks, role: scratch}
  n: {type: int32, value: n}
  blocks: {type: int32, value: blocks}
launches:
  - {fill: partial, byte: 0}
  - {entry: partial_sums, grid: blocks, block: 64, arguments: [in, partial, n]}
  - {entry: total, arguments: [partial, out, blocks]}
reference:
  launches: {entry: plain_total, arguments: [in, out, n]}
)yaml";

constexpr const char* kFunction = R"cpp(
#include <cstddef>
  void scale(const double* in, double* out, std::size_t n) {
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i) out[i] = FACTOR * in[i];
  }
  void scale_plainly(const double* in, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i];
  }
)cpp";

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

constexpr const char* kFunctionSpace = R"yaml(
kernel: scale
language: c++
source: scale.cc
problem: {n: [100000]}
parameters: {FACTOR: [2, 3]}
options: ["-O2", "-fopenmp"]
arguments:
  in: {type: double, extent: n, init: {normal: [0, 1]}}
  out: {type: double, extent: n, role: out, check: {ulp: 1}}
  n: {type: uint64, value: n}
launches: {entry: scale, arguments: [in, out, n]}
reference:
  launches: {entry: scale_plainly, arguments: [in, out, n]}
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
  if (path.ends_with("sum.cu")) {
    // The reference sees no parameters.
    return "#ifndef WRONG\n#define WRONG 0\n#endif\n" + std::string(kSource);
  }
  if (path.ends_with("scale.cc"))
    return "#ifndef FACTOR\n#define FACTOR 2\n#endif\n" + std::string(kFunction);
  if (path.ends_with("scalars.cc")) return std::string(kScalars);
  if (path.ends_with("cores.cu")) return std::string(kCores);
  return Error{"there is no such file"};
}

class HostDeviceTest : public ::testing::Test {
 protected:
  void read(const std::string& space) {
    auto definition = read_space_text(space, "test.yaml", {}, read_test_file);
    if (!definition) {
      for (const Diagnostic& diagnostic : definition.error()) ADD_FAILURE() << diagnostic.str();
      return;
    }
    kernel_ = definition->kernel;
    problem_ = {{"n", kernel_.axes[0].values[0]}};
  }

  Module compiled(const SourcePlan& source) {
    CompileJob job;
    job.variants = {source};
    job.cache_dir = GKTUNE_TEST_CACHE;
    const CompiledVariant variant = compiler_.compile(job)[0];
    EXPECT_EQ(variant.status, Status::ok) << variant.log;
    return variant.module;
  }

  RunJob job_of(const Config& config) {
    DeviceInfo device;
    device.kind = "host";
    RunJob job;
    auto plan = resolve(kernel_, config, problem_, device);
    job.plan = std::move(*plan);
    job.candidate = compiled(job.plan.candidate.source);
    job.reference = compiled(job.plan.reference.source);
    return job;
  }

  HostCompiler compiler_{"c++"};
  DeviceRunner runner_{make_host_device(std::size_t{1} << 20)};
  KernelDefinition kernel_;
  Problem problem_;
};

TEST_F(HostDeviceTest, a_candidate_may_have_several_steps_and_any_size_of_scratch) {
  read(kSumSpace);
  for (int blocks : {3, 50, 1, 50}) {
    const RunReply reply = runner_.run(job_of({{"blocks", blocks}, {"WRONG", 0}}));
    EXPECT_EQ(reply.status, Status::ok) << reply.message;
    EXPECT_GE(reply.samples_us.size(), 10u);
    EXPECT_GT(reply.timing.median_us, 0);
    EXPECT_LE(reply.timing.low_us, reply.timing.median_us);
    EXPECT_EQ(reply.resources.grid[0], blocks);
    EXPECT_EQ(reply.resources.block[0], 64);
    EXPECT_GT(reply.run_s, 0);
  }
}

TEST_F(HostDeviceTest, plain_functions_run_without_a_grid) {
  read(kFunctionSpace);
  const RunReply right = runner_.run(job_of({{"FACTOR", 2}}));
  EXPECT_EQ(right.status, Status::ok) << right.message;
  EXPECT_EQ(right.resources.grid[0], 0);
  EXPECT_EQ(runner_.run(job_of({{"FACTOR", 3}})).status, Status::wrong_result);
}

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

TEST_F(HostDeviceTest, an_error_names_arguments_that_do_not_fit_a_function) {
  read(kSumSpace);
  RunJob job = job_of({{"blocks", 3}, {"WRONG", 0}});
  RunJob few = job;
  few.plan.candidate.steps[2].arguments = {2, 1};
  EXPECT_EQ(runner_.run(few).message, "total has 3 parameters and is given 2 arguments");
  RunJob swapped = job;
  swapped.plan.candidate.steps[2].arguments = {4, 1, 2};
  EXPECT_EQ(runner_.run(swapped).message, "parameter 1 of total is a pointer, 'blocks' is a scalar");
  RunJob wide = job;
  wide.plan.arguments[4].type = ElementType::int64;
  const RunReply reply = runner_.run(wide);
  EXPECT_TRUE(
      ended(reply, Status::launch_failed, "parameter 3 of total has 4 bytes, 'blocks' is int64 and has 8"));
}

TEST_F(HostDeviceTest, scalars_have_the_bytes_of_their_type) {
  read(kScalarsSpace);
  const RunReply reply = runner_.run(job_of({}));
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
}

TEST_F(HostDeviceTest, an_error_names_the_argument_whose_contents_cannot_be_read) {
  read(kFunctionSpace);
  RunJob job = job_of({{"FACTOR", 2}});
  job.plan.arguments[0].contents.kind = ContentsKind::file;
  job.plan.arguments[0].contents.file = "/nonexistent.npy";
  EXPECT_TRUE(
      ended_with(runner_.run(job), Status::invalid, "argument 'in': /nonexistent.npy: cannot be opened"));
}

}  // namespace
}  // namespace gktune
