#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "tests/expectations.h"
#include "tests/gpu/rig.h"
#include "tuner/array/npy.h"

namespace gktune {
namespace {

using Role = Argument::Role;

// A kernel that computes y = 2 x for n elements, right or with a fault.
constexpr const char* kReference = R"(
__global__ void reference(const float* x, float* y, long long n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * x[i];
}
)";
constexpr const char* kCandidate = R"(
__global__ void candidate(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  BODY
}
)";

Case doubling(const std::string& body, std::uint64_t n = 100'000) {
  Case kernel;
  kernel.source = kCandidate;
  kernel.reference_source = kReference;
  kernel.macros = {{"BODY", body}};
  kernel.arguments = {buffer("x", Role::in, n), buffer("y", Role::out, n),
                      scalar("n", ElementType::int64, static_cast<std::int64_t>(n))};
  kernel.steps = {step("candidate", static_cast<std::int64_t>(n + 255) / 256, 256, {0, 1, 2})};
  kernel.reference = {step("reference", 512, 256, {0, 1, 2})};
  return kernel;
}
// The same job with buffers between zones with a pattern.
Case zoned(Case kernel) {
  kernel.guards = Guards::zones;
  return kernel;
}
constexpr const char* kRight = "if (i < n) y[i] = 2 * x[i];";

class CudaRunnerTest : public GpuTest {};

TEST_F(CudaRunnerTest, passes_a_right_candidate) {
  const RunReply reply = run(doubling(kRight));
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_GT(reply.resources.registers, 0);
  EXPECT_EQ(reply.resources.spill_bytes, 0);
  EXPECT_EQ(reply.resources.grid[0], 391);
  EXPECT_EQ(reply.resources.block[0], 256);
  EXPECT_EQ(reply.resources.occupancy, 1);
  EXPECT_FALSE(reply.worker_is_lost);
}

TEST_F(CudaRunnerTest, finds_writes_before_the_beginning) {
  const RunReply reply = run(zoned(doubling("if (i < n) y[i] = 2 * x[i]; if (i == 0) y[-2] = 0;")));
  EXPECT_TRUE(ended(reply, Status::guard_violated,
                    "wrote outside 'y' (100000 elements): up to 8 bytes before its beginning"));
}

TEST_F(CudaRunnerTest, repairs_damage_by_one_candidate_before_the_next) {
  // Past the end by half its size, into another buffer, but not beyond the memory that the driver has mapped.
  (void)run(zoned(
      doubling("if (i < n) y[i] = 2 * x[i]; for (int k = 1; k < 3; ++k) if (i < n) y[i + k * n / 2] = 9;")));
  const RunReply reply = run(doubling(kRight));
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
}

TEST_F(CudaRunnerTest, clears_memory_that_another_problem_has_used) {
  // Small buffers have 2 MiB each. Of a buffer at its end, what is before it can be read.
  const std::string looks_before =
      "bool is_clear = true;"
      "if (reinterpret_cast<unsigned long long>(y) % (2 << 20) > 400000)"
      "  for (int k = 1; k <= 100000; ++k) is_clear = is_clear && y[-k] == 0;"
      "if (i < n) y[i] = is_clear ? 2 * x[i] : -1;";
  EXPECT_EQ(run(doubling(kRight)).status, Status::ok);
  const RunReply reply = run(doubling(looks_before, 1000));
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
}

TEST_F(CudaRunnerTest, restores_inout_arguments_before_each_run) {
  Case kernel;
  kernel.source = R"(
__global__ void reference(float* y, int n) { for (int i = threadIdx.x; i < n; i += 256) y[i] += 1; }
__global__ void candidate(float* y, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) y[i] += 1; })";
  kernel.reference_source = kernel.source;
  kernel.arguments = {buffer("y", Role::inout, 5000), scalar("n", ElementType::int32, 5000)};
  kernel.steps = {step("candidate", 20, 256, {0, 1})};
  kernel.reference = {step("reference", 1, 256, {0, 1})};
  kernel.check_only = false;
  for (Regime regime : {Regime::cold, Regime::hot}) {
    kernel.regime = regime;
    for (int i = 0; i < 3; ++i) {
      const RunReply reply = run(kernel);
      EXPECT_EQ(reply.status, Status::ok) << reply.message;
    }
  }
}

TEST_F(CudaRunnerTest, runs_several_steps_with_scratch_of_each_candidates_size) {
  Case kernel;
  kernel.source = R"(
__global__ void part(const float* x, float* scratch, int n) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sum, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) scratch[blockIdx.x] = sum;
}
__global__ void add(const float* scratch, float* y, int blocks) {
  for (int i = threadIdx.x; i < blocks; i += blockDim.x) atomicAdd(y, scratch[i]);
})";
  kernel.reference_source = kernel.source;
  for (std::int64_t block : {1024, 64, 256}) {
    const std::int64_t blocks = (50'000 + block - 1) / block;
    kernel.arguments = {buffer("x", Role::in, 50'000),
                        buffer("scratch", Role::scratch, static_cast<std::uint64_t>(blocks)),
                        buffer("y", Role::out, 1),
                        scalar("n", ElementType::int32, 50'000),
                        scalar("blocks", ElementType::int32, blocks),
                        scalar("all", ElementType::int32, 49)};
    kernel.arguments[2].tolerance.relative = 1e-4;
    kernel.steps = {fill_step(2, 0), step("part", blocks, block, {0, 1, 3}), step("add", 1, 128, {1, 2, 4})};
    kernel.reference = {fill_step(2, 0), step("part", 49, 1024, {0, 1, 3}), step("add", 1, 32, {1, 2, 5})};
    kernel.check_only = false;
    const RunReply reply = run(kernel);
    EXPECT_EQ(reply.status, Status::ok) << reply.message;
    EXPECT_EQ(reply.resources.grid[0], blocks);
  }
}

TEST_F(CudaRunnerTest, refuses_a_launch_beyond_the_device_limits) {
  Case kernel = doubling(kRight);
  kernel.steps[0].grid = {1, 70'000, 1};
  EXPECT_EQ(run(kernel).status, Status::launch_failed);
  kernel.steps[0].grid = {1, 1, 1};
  kernel.steps[0].block = {1024, 2, 1};
  EXPECT_TRUE(run(kernel).message.starts_with("candidate: a block of 2048 threads with "))
      << run(kernel).message;
  kernel.steps[0].block = {32, 1, 128};
  EXPECT_EQ(run(kernel).status, Status::launch_failed);
  kernel.steps[0].block = {32, 1, 1};
  kernel.steps[0].arguments = {0, 1};
  EXPECT_EQ(run(kernel).status, Status::launch_failed);
  kernel.steps[0].arguments = {0, 1, 2, 2};
  EXPECT_EQ(run(kernel).status, Status::launch_failed);
  kernel.arguments[2].type = ElementType::int32;
  kernel.steps[0].arguments = {0, 1, 2};
  kernel.reference.clear();
  EXPECT_EQ(run(kernel).message, "candidate: parameter 3 takes 8 bytes, the argument has 4");
  const RunReply reply = run(doubling(kRight));  // and goes on
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
}

TEST_F(CudaRunnerTest, grants_shared_memory_beyond_48_kib) {
  Case kernel;
  kernel.source = R"(
__global__ void k(float* y, int n) {
  extern __shared__ float numbers[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) numbers[i] = i;
  __syncthreads();
  y[threadIdx.x] = numbers[n - 1 - threadIdx.x];
})";
  kernel.arguments = {buffer("y", Role::scratch, 256), scalar("n", ElementType::int32, 90 * 256)};
  kernel.steps = {step("k", 1, 256, {0, 1}, 90 * 1024)};
  const RunReply reply = run(kernel);
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_EQ(reply.resources.dynamic_shared_bytes, 90 * 1024);
  kernel.steps[0].shared_bytes = 1 << 20;
  EXPECT_EQ(run(kernel).message.find("k: 1048576 bytes of shared memory: a block can have "), 0u);
}

TEST_F(CudaRunnerTest, says_when_the_memory_is_too_small) {
  Case kernel = doubling(kRight);
  kernel.arguments[0].count = std::uint64_t{1} << 42;
  const RunReply reply = run(kernel);
  EXPECT_EQ(reply.status, Status::out_of_memory);
  EXPECT_EQ(reply.message.find("the problem needs 16384.00 GiB, and the device has "), 0u) << reply.message;
  EXPECT_EQ(run(doubling(kRight)).status, Status::ok);
}

TEST_F(CudaRunnerTest, uploads_a_file_of_several_pieces) {
  constexpr std::size_t kCount = 10'000'000;
  std::vector<float> numbers(kCount);
  for (std::size_t i = 0; i < kCount; ++i) numbers[i] = static_cast<float>(i % 1000);
  Case kernel = doubling(kRight, kCount);
  kernel.arguments[0].contents = {.kind = ContentsKind::file};
  kernel.arguments[0].contents.file = folder_.path("numbers.npy");
  ASSERT_TRUE(
      write_npy(folder_.path("numbers.npy"), ElementType::float32, std::as_bytes(std::span(numbers))).ok());
  kernel.reference_source = R"(
__global__ void reference(const float* x, float* y, long long n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * (i % 1000);
})";
  const RunReply reply = run(kernel);
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  Case timed = doubling(kRight, kCount);  // fresh executions draw from the file
  timed.arguments[0].contents = kernel.arguments[0].contents;
  timed.check_only = false;
  EXPECT_EQ(run(timed).status, Status::ok);
}

TEST_F(CudaRunnerTest, times_long_kernels_and_short_ones) {
  Case large = doubling(kRight, 64 << 20);
  large.check_only = false;
  const RunReply slow = run(large);
  ASSERT_EQ(slow.status, Status::ok) << slow.message;
  EXPECT_GE(slow.samples_us.size(), 3u);
  EXPECT_LE(slow.timing.low_us, slow.timing.median_us);
  EXPECT_GT(slow.timing.median_us, 512e6 / 20e12 * 1e6);  // no memory moves 512 MB faster
  EXPECT_GT(slow.conditions.clock_mhz, 0);
  EXPECT_GT(slow.conditions.power_w, 0);

  Case small = doubling(kRight, 10'000);
  small.check_only = false;
  const RunReply fast = run(small);
  ASSERT_EQ(fast.status, Status::ok) << fast.message;
  EXPECT_GT(fast.timing.median_us, 0);
  EXPECT_LT(fast.timing.median_us, slow.timing.median_us);
}

TEST_F(CudaRunnerTest, finds_a_write_behind_a_buffer_of_odd_size) {
  const RunReply reply = run(doubling("if (i < n) y[i] = 2 * x[i]; if (i == 0) y[n] = 0;", 100'001));
  EXPECT_TRUE(
      ended(reply, Status::guard_violated, "wrote outside 'y' (100001 elements): 0 bytes past its end"));
  const RunReply right = run(doubling(kRight, 100'001));
  EXPECT_EQ(right.status, Status::ok) << right.message;
}

// The contents move between the two executions, by less than the size of the buffer.
TEST_F(CudaRunnerTest, moves_inputs_of_odd_sizes) {
  for (const std::uint64_t n : {1u, 524'289u, 30'000'001u}) {
    Case kernel = doubling(kRight, n);
    kernel.check_only = false;
    for (int time = 0; time < 2; ++time) {
      const RunReply reply = run(kernel);
      EXPECT_EQ(reply.status, Status::ok) << n << ": " << reply.message;
    }
  }
}

// The second run of the reference, on the inverted results of the first, tells -1 from unwritten.
TEST_F(CudaRunnerTest, accepts_integers_that_look_unwritten) {
  Case kernel = doubling("");
  kernel.source = "__global__ void candidate(int* y) { y[blockIdx.x * 256 + threadIdx.x] = -1; }";
  kernel.reference_source = "__global__ void reference(int* y) { y[blockIdx.x * 256 + threadIdx.x] = -1; }";
  kernel.arguments = {buffer("y", Role::out, 25'600, ElementType::int32)};
  kernel.steps = {step("candidate", 100, 256, {0})};
  kernel.reference = {step("reference", 100, 256, {0})};
  const RunReply right = run(kernel);
  EXPECT_EQ(right.status, Status::ok) << right.message;
  kernel.reference = {step("reference", 99, 256, {0})};
  const RunReply gap = run(kernel);
  EXPECT_TRUE(
      ended(gap, Status::reference_failed, "the reference: leaves 256 of 25600 elements of 'y' unwritten"));
}

TEST_F(CudaRunnerTest, passes_on_what_a_kernel_prints) {
  testing::internal::CaptureStdout();
  const RunReply reply =
      run(doubling("if (i < n) y[i] = 2 * x[i]; if (i == 3) printf(\"thread %d\\n\", (int)i);"));
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "thread 3\nthread 3\n");
}

// Sixteen times the work takes several times the energy, however short it is.
TEST_F(CudaRunnerTest, reports_the_energy_of_one_execution) {
  Case kernel = doubling(kRight, 1 << 20);
  kernel.check_only = false;
  kernel.measures_power = true;
  const RunReply small = run(kernel);
  kernel = doubling(kRight, 1 << 24);
  kernel.check_only = false;
  kernel.measures_power = true;
  const RunReply large = run(kernel);
  ASSERT_EQ(small.status, Status::ok) << small.message;
  ASSERT_EQ(large.status, Status::ok) << large.message;
  if (small.conditions.energy_j < 0) GTEST_SKIP() << "this card does not count its energy";
  EXPECT_GT(small.conditions.energy_j, 0);
  EXPECT_GT(large.conditions.energy_j, 4 * small.conditions.energy_j);
  // Power, time and energy must agree.
  const double expected_j = large.conditions.power_w * large.timing.median_us * 1e-6;
  EXPECT_LT(std::abs(large.conditions.energy_j / expected_j - 1), 0.5);
}

}  // namespace
}  // namespace gktune
