// Errors that are found in instrumented kernels, and correct kernels without a report.
#include "tuner/device/host/sanitize/memory_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/host/kernels.h"

namespace gktune {
namespace {

class Watched : public ::testing::Test {
 protected:
  // Runs one kernel on `out`, with `in` to read: 1024 elements each. The text is that of the kernel's body,
  // which begins in the third line, or of the whole source.
  Result<void, Failure> run(std::string text, const LaunchShape& shape,
                            std::optional<std::uint64_t> seed = std::nullopt) {
    if (text.find("__global__") == text.npos)
      text = "\n__global__ void k(const int* in, int* out) {" + text + "\n}";
    Kernels kernels("g++", kernel_source(text, {"k"}),
                    {.threads = 1, .shuffle_seed = seed, .watch = &watch_});
    watch_.set_buffers({{"in", in_.data(), 4096, room_of(in_), false, true},
                        {"out", out_.data(), 4096, room_of(out_), is_out_unwritten_}});
    return kernels.launch(0, shape, static_cast<const int*>(in_.data()), out_.data());
  }
  void expect_fault(const std::string& text, const LaunchShape& shape, Status status,
                    const std::vector<std::string>& words) {
    const auto result = run(text, shape);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(status_name(result.error().status), status_name(status));
    for (const std::string& word : words) {
      EXPECT_NE(result.error().message.find(word), std::string::npos)
          << "no " << word << " in: " << result.error().message;
    }
  }
  // Each statement has the fault. All are compiled together and run one by one.
  void expect_each(const std::string& before, const std::vector<std::string>& statements, Status status,
                   const std::string& words) {
    std::string text = before + "__global__ void k(const int* in, int* out) {\n";
    const auto first = std::ranges::count(text, '\n') + 1;
    for (std::size_t i = 0; i < statements.size(); ++i)
      text += "if (in[0] == " + std::to_string(i) + ") { " + statements[i] + "; }\n";
    text += "}\n";
    for (std::size_t i = 0; i < statements.size(); ++i) {
      SCOPED_TRACE(statements[i]);
      in_.data()[0] = static_cast<int>(i);
      expect_fault(text, ::gktune::shape(1, 1), status,
                   {words, "thread (0,0,0), kernel.cu:" + std::to_string(first + static_cast<int>(i))});
    }
  }
  std::string take_harmless() { return watch_.take_harmless(); }
  void allow(const AllowedRaces& races) { watch_.allow(races); }
  void expect_clean(const std::string& text, const LaunchShape& shape) {
    for (const std::optional<std::uint64_t> seed :
         {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(1), std::optional<std::uint64_t>(2)}) {
      const auto result = run(text, shape, seed);
      EXPECT_TRUE(result.ok()) << result.error().message;
    }
  }

 private:
  // Whole pages, so that nothing else lies in them.
  struct Memory {
    alignas(4096) std::array<int, 1024> front{};
    std::array<int, 1024> values{}, back{};
    int* data() { return values.data(); }
  };
  static std::span<const std::byte> room_of(const Memory& memory) {
    return std::as_bytes(std::span(&memory, 1));
  }

  MemoryWatch watch_;
  Memory in_, out_;

 protected:
  bool is_out_unwritten_ = false;
};

std::string with(std::string text, const std::string& barrier) {
  const std::string hole = "BARRIER";
  return text.replace(text.find(hole), hole.size(), barrier);
}

constexpr const char* kWarp = R"(
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  BARRIER
  out[threadIdx.x] = tile[threadIdx.x ^ 1];)";

TEST_F(Watched, a_warp_without_syncwarp_races) {
  expect_fault(
      with(kWarp, ""), shape(1, 64), Status::undefined_behavior,
      {"reads 4 bytes of shared memory that no thread of its block has written; thread (1,0,0) writes them "
       "later, at ",
       "kernel.cu:4: a barrier is missing in between", "thread (0,0,0)", "kernel.cu:6"});
  const std::string twice = R"(
  __shared__ int tile[64];
  tile[threadIdx.x] = 0;
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  BARRIER
  out[threadIdx.x] = tile[threadIdx.x ^ 1];)";
  expect_fault(with(twice, ""), shape(1, 64), Status::data_race,
               {"of shared memory that thread (", "kernel.cu:6", "kernel.cu:8"});
  expect_clean(with(twice, "__syncwarp();"), shape(1, 64));
  expect_clean(with(twice, "__syncwarp(3u << (threadIdx.x % 32 & ~1));"), shape(1, 64));
}

TEST_F(Watched, syncwarp_orders_no_other_warp) {
  const std::string text = R"(
  __shared__ int tile[64];
  tile[threadIdx.x] = 0;
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = tile[threadIdx.x ^ 32];)";
  expect_fault(text, shape(1, 64), Status::data_race, {"kernel.cu:6", "kernel.cu:8"});
}

TEST_F(Watched, operations_of_cub_race_without_a_barrier_between_them) {
  for (const std::string operation : {"sum = cub::BlockReduce<int, 64>(reduce).Sum(sum);",
                                      "cub::BlockScan<int, 64>(scan).InclusiveSum(sum, sum);"}) {
    const std::string text =
        "#include <cub/cub.cuh>\n__global__ void k(const int* in, int* out) {\n"
        "__shared__ cub::BlockReduce<int, 64>::TempStorage reduce;\n"
        "__shared__ cub::BlockScan<int, 64>::TempStorage scan;\nint sum = in[threadIdx.x];\n" +
        operation + "\nBARRIER\n" + operation + "\nout[threadIdx.x] = sum;\n}";
    expect_clean(with(text, "__syncthreads();"), shape(1, 64));
    expect_fault(with(text, ""), shape(1, 64), Status::data_race, {"kernel.cu:6", "kernel.cu:8"});
  }
}

TEST_F(Watched, bins_cleared_without_a_barrier_race) {
  const std::string text = R"(
  __shared__ int bins[64];
  bins[threadIdx.x] = 0;
  BARRIER
  if (threadIdx.x > 0) atomicAdd(&bins[threadIdx.x - 1], 1);
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x];)";
  expect_fault(with(text, "if (in[threadIdx.x] == 0) __syncwarp();"), shape(1, 64), Status::data_race,
               {"updates 4 bytes", "thread (31,0,0) writes", "thread (32,0,0)"});
  expect_clean(with(text, "__syncthreads();"), shape(1, 64));
}

TEST_F(Watched, threads_that_write_the_same_value_are_harmless) {
  const std::string text = "__global__ void k(const int* in, int* out) {\n  out[5] = BARRIER;\n}\n";
  for (const LaunchShape& each : {shape(1, 64), shape(3, 1)}) {
    expect_clean(with(text, "7 + in[0]"), each);
    const std::string found = take_harmless();
    EXPECT_NE(found.find("‘out’ at byte 20"), std::string::npos) << found;
    EXPECT_NE(found.find("kernel.cu:2; both write the same value"), std::string::npos) << found;
  }
  expect_fault(with(text, "threadIdx.x / 63"), shape(1, 64), Status::data_race,
               {"‘out’ at byte 20", "kernel.cu:2"});
  expect_fault(with(text, "blockIdx.x / 2"), shape(3, 1), Status::data_race, {"thread (0,0,0) of block"});
}

TEST_F(Watched, races_that_the_space_file_allows_are_not_reported) {
  const std::string text = R"(
__global__ void k(const int* in, int* out) {
  for (int i = 0; i < 1000; ++i) out[5] = threadIdx.x;
  out[6] = 7;
  out[7 + threadIdx.x] = in[0];
  BARRIER;
})";
  allow({.lines = {"kernel.cu:33", "l.cu:3"}});
  expect_fault(with(text, ""), shape(1, 64), Status::data_race, {"kernel.cu:3"});
  allow({.of_same_value = true, .lines = {"kernel.cu:3", "kernel.cu:6"}});
  expect_clean(with(text, "out[80] = out[8]"), shape(1, 64));
  EXPECT_EQ(take_harmless(), "");
  allow({.lines = {"kernel.cu:3", "kernel.cu:6"}});
  expect_clean(with(text, "out[80] = out[8]"), shape(1, 64));
  EXPECT_NE(take_harmless(), "");
  allow({.lines = {"kernel.cu:3"}});
  expect_fault(with(text, "out[80] = out[8]"), shape(1, 64), Status::data_race, {"kernel.cu:6"});
}

TEST_F(Watched, the_block_that_counts_last_may_clear_the_counter) {
  const std::string text = R"(
__device__ unsigned arrived = 0;
__global__ void k(const int* in, int* out) {
  if (BARRIER == gridDim.x - 1) arrived = 0;
})";
  expect_clean(with(text, "atomicAdd(&arrived, 1)"), shape(4, 1));
  expect_fault(with(text, "blockIdx.x + 0 * atomicAdd(&arrived + in[0], 1)"), shape(1, 2), Status::data_race,
               {"global memory"});
}

TEST_F(Watched, atomics_order_accesses_by_their_memory_order) {
  const auto handed_over = [](const std::string& store_order, const std::string& load,
                              const std::string& fence) {
    return R"(#include <cuda/atomic>
__device__ int value = 0;
__device__ unsigned flag = 0;
__global__ void k(const int* in, int* out) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> f(flag);
  if (blockIdx.x == 0) {
    value = in[0];
    )" + fence + R"(
    f.store(1, cuda::memory_order_)" +
           store_order + R"();
  } else if (f.)" + load + R"( == 1) {
    )" + fence + R"(
    out[0] = value;
  }
})";
  };
  const std::string relaxed_load = "load(cuda::memory_order_relaxed)";
  const std::string fence = "cuda::atomic_thread_fence(cuda::memory_order_seq_cst);";
  expect_fault(handed_over("relaxed", relaxed_load, ""), shape(2, 1), Status::data_race,
               {"writes at ", "kernel.cu:7", "kernel.cu:12"});
  expect_clean(handed_over("relaxed", relaxed_load, fence), shape(2, 1));
  expect_clean(handed_over("release", "load(cuda::memory_order_acquire)", ""), shape(2, 1));
  expect_clean(handed_over("release", "fetch_or(0)", ""), shape(2, 1));
  expect_fault(handed_over("release", "fetch_or(0, cuda::memory_order_release)", ""), shape(2, 1),
               Status::data_race, {"kernel.cu:7", "kernel.cu:12"});
}

TEST_F(Watched, atomic_functions_and_volatile_writes_need_a_fence_before_them) {
  const std::string exchange = R"(
__device__ volatile int flag = 0;
__device__ int value = 0;
__global__ void k(const int* in, int* out) {
  if (blockIdx.x == 0) {
    value = in[0];
    BARRIER;
  } else if (flag == 1) {
    out[0] = value;
  }
})";
  for (const std::string write : {"flag = 1", "atomicExch(const_cast<int*>(&flag), 1)"}) {
    expect_fault(with(exchange, write), shape(2, 1), Status::data_race, {"kernel.cu:6", "kernel.cu:9"});
    expect_clean(with(exchange, "__threadfence(); " + write), shape(2, 1));
  }
}

// A thread that does not need to change the value leaves the loop before its first update.
TEST_F(Watched, a_compare_and_swap_loop_may_end_early) {
  expect_clean(R"(
  const int v = in[threadIdx.x] + (threadIdx.x * 37 + blockIdx.x * 11) % 64;
  int old = out[1];
  while (v > old) {
    const int seen = old;
    old = atomicCAS(&out[1], seen, v);
    if (old == seen) break;
  })",
               shape(4, 64));
  // Neither a barrier nor a flag orders the read after the write of the first value.
  expect_fault(R"(
  if (threadIdx.x == 0) out[2] = in[0];
  int old = out[2];
  while (static_cast<int>(threadIdx.x) > old) {
    const int seen = old;
    old = atomicCAS(&out[2], seen, static_cast<int>(threadIdx.x));
    if (old == seen) break;
  })",
               shape(1, 64), Status::data_race, {"‘out’ at byte 8", "kernel.cu:3"});
}

TEST_F(Watched, a_read_of_unwritten_scratch_is_reported) {
  const std::string text = R"(
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (BARRIER) out[i] = in[i];
  __syncthreads();
  if (in[i] == 0) out[512 + i] = out[i ^ 1];)";
  is_out_unwritten_ = true;
  expect_clean(with(text, "true"), shape(2, 64));
  expect_fault(with(text, "i != 70"), shape(2, 64), Status::undefined_behavior,
               {"reads 4 bytes of ‘out’ that nothing has written, kernel k", "block (1,0,0)",
                "thread (7,0,0)", "kernel.cu:6"});
  // Writes of an earlier execution do not count.
  expect_fault(with(text, "i != 70"), shape(2, 64), Status::undefined_behavior, {"that nothing has written"});
  is_out_unwritten_ = false;
  expect_clean(with(text, "i != 70"), shape(2, 64));
}

// A compiler may instrument only the write of an update, and leave out the read before it.
TEST_F(Watched, an_update_of_unwritten_memory_is_reported) {
  is_out_unwritten_ = true;
  expect_each("", {"out[5] += in[1]", "++out[5]", "out[5] = out[5] | 1", "out[5] -= 1"},
              Status::undefined_behavior, "reads 4 bytes of ‘out’ that nothing has written");
  const std::string shared = R"(
  __shared__ int count[2];
  BARRIER;
  ++count[0];
  out[0] = count[0];)";
  expect_fault(with(shared, "count[1] = 0"), shape(1, 1), Status::undefined_behavior,
               {"shared memory that no thread of its block has written", "kernel.cu:5"});
  expect_clean(with(shared, "count[0] = 0"), shape(1, 1));
  expect_clean(with(shared, "atomicExch(count, 0)"), shape(1, 1));
}

TEST_F(Watched, a_write_into_an_input_is_reported) {
  expect_each("",
              {"const_cast<int*>(in)[7] = 1", "const_cast<int*>(in)[7] += 0",
               "atomicAdd(const_cast<int*>(in) + 7, 1)"},
              Status::input_changed, "4 bytes of its input ‘in’");
}

TEST_F(Watched, barriers_of_two_branches_are_two_barriers) {
  const std::string text = R"(
  if (BARRIER) __syncthreads(); else __syncthreads();
  out[threadIdx.x] = in[threadIdx.x];)";
  expect_fault(with(text, "threadIdx.x % 2 == 0"), shape(1, 64), Status::barrier_divergence,
               {"wait at different barriers of one line", "kernel.cu:3"});
  expect_clean(with(text, "in[0] == 0"), shape(1, 64));
  const std::string group = R"(
#include <cooperative_groups.h>
__global__ void k(const int* in, int* out) {
  auto block = cooperative_groups::this_thread_block();
  if (BARRIER) block.sync(); else block.sync();
  out[threadIdx.x] = in[threadIdx.x];
})";
  expect_fault(with(group, "threadIdx.x < 32"), shape(1, 64), Status::barrier_divergence, {"kernel.cu:5"});
  expect_clean(with(group, "in[0] == 0"), shape(1, 64));
}

// Optimisers move a load to the use of its value, and drop a load without a use.
TEST_F(Watched, a_load_is_reported_at_its_line_in_the_source) {
  expect_fault(R"(
  const int value = in[1023 + threadIdx.x];
  if (out[threadIdx.x] > 5) out[threadIdx.x] = value;)",
               shape(1, 8), Status::illegal_access,
               {"reads 4 bytes outside ‘in’ (0 bytes past its end)", "thread (1,0,0)", "kernel.cu:3"});
  expect_fault(R"(
  int unused = in[1024 + threadIdx.x];
  out[threadIdx.x] = in[threadIdx.x];)",
               shape(1, 8), Status::illegal_access, {"outside ‘in’", "kernel.cu:3"});
}

TEST_F(Watched, a_plain_read_races_with_updates_by_others) {
  const std::string text = R"(
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 4], 1);
  BARRIER
  if (threadIdx.x < 4) out[threadIdx.x] = bins[threadIdx.x];)";
  // The race is found after the thread has ended, and the report still names the place of the read.
  expect_fault(with(text, ""), shape(1, 64), Status::data_race,
               {"4 bytes of shared memory that thread (", "kernel.cu:8"});
  expect_clean(with(text, "__syncthreads();"), shape(1, 64));
}

TEST_F(Watched, accesses_outside_of_buffers_are_found_to_the_byte) {
  const std::string text = "__global__ void k(const int* in, int* out) {\n  BARRIER;\n}";
  expect_fault(with(text, "out[threadIdx.x] = in[1020 + threadIdx.x]"), shape(1, 8), Status::illegal_access,
               {"reads 4 bytes outside ‘in’ (0 bytes past its end)", "thread (4,0,0)", "kernel.cu:2"});
  expect_fault(with(text, "reinterpret_cast<char*>(out + threadIdx.x * 512)[-1] = 1"), shape(1, 8),
               Status::illegal_access, {"outside ‘out’ (1 byte before its beginning)"});
  expect_fault(with(text, "extern __shared__ char s[]; s[threadIdx.x] = 1"), shape(1, 8, 6),
               Status::illegal_access,
               {"outside the dynamic shared memory (0 bytes past its end)", "thread (6,0,0)"});
}

// Lines of CUDA's headers and of the C++ library do not help the user.
TEST_F(Watched, a_fault_inside_a_library_is_reported_at_the_line_of_the_caller) {
  expect_each(
      R"(
#include <cuda/atomic>
#include <cuda/std/utility>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
)",
      {"out[0] = __ldg(in + 1024)", "__stcg(out + 1024, 1)", "atomicAdd(out + 1024, 1)",
       "atomicMax(out + 1024, 1)", "atomicAdd(reinterpret_cast<float*>(out + 1024), 1.0f)",
       "atomicCAS(out + 1024, 1, 2)", "cuda::atomic_ref<int>(out[1024]).fetch_add(1)",
       "int own = 1; cuda::std::swap(own, out[1024])", "memcpy(out, in + 1024, 4)",
       "__pipeline_memcpy_async(out, in + 1024, 4)", "reinterpret_cast<__half*>(out + 1024)[0] += __half(1)",
       "out[0] = float(reinterpret_cast<const __half*>(in + 1024)[0])"},
      Status::illegal_access, " outside ‘");
}

TEST_F(Watched, misaligned_vectors_and_structs_are_found_however_they_are_copied) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer does not know the threads' stacks, nor how a fault leaves one";
#endif
  expect_each(
      "struct alignas(8) Two { int v[2]; };\n__device__ int sum(Two two) { return two.v[0] + two.v[1]; }\n",
      {"reinterpret_cast<float4*>(out)[0] = reinterpret_cast<const float4*>(in + 1)[0]",
       "reinterpret_cast<float4*>(out + 1)[0] = reinterpret_cast<const float4*>(in)[0]",
       "float2 v = *reinterpret_cast<const float2*>(in + 1); out[0] = v.x",
       "out[0] = __ldg(reinterpret_cast<const int2*>(in + 1)).x",
       "__stcs(reinterpret_cast<int2*>(out + 1), int2{1, 2})",
       "Two two = *reinterpret_cast<const Two*>(in + 1); out[0] = two.v[1]",
       "out[0] = sum(*reinterpret_cast<const Two*>(in + 1))",
       "atomicAdd(reinterpret_cast<int*>(reinterpret_cast<char*>(out) + 2), 1)"},
      Status::misaligned_access, "a misaligned address of ");
}

TEST_F(Watched, undefined_behavior_is_reported_with_its_line) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer does not know the threads' stacks, nor how a fault leaves one";
#endif
  const std::string text =
      "__global__ void k(const int* in, int* out) {\n  __shared__ int tile[8];\n  BARRIER;\n}";
  expect_fault(with(text, "tile[in[0] + 2 * threadIdx.x] = 1"), shape(1, 8), Status::illegal_access,
               {"an index outside its array, 'int", "thread (4,0,0)", "kernel.cu:3"});
  expect_fault(with(text, "out[0] = reinterpret_cast<const int4*>(in + threadIdx.x)->x"), shape(1, 8),
               Status::misaligned_access, {"a misaligned address", "thread (1,0,0)", "kernel.cu:3"});
  expect_fault(
      with(text, "out[threadIdx.x] = in[0] + reinterpret_cast<const int2*>(in + 2 * threadIdx.x + 1)[0].y"),
      shape(1, 8), Status::misaligned_access, {"a misaligned address", "thread (0,0,0)", "kernel.cu:3"});
  expect_fault(with(text, "out[threadIdx.x] = 1 << (in[0] + 32)"), shape(1, 8), Status::undefined_behavior,
               {"a shift by more bits than there are", "kernel.cu:3"});
}

}  // namespace
}  // namespace gktune
