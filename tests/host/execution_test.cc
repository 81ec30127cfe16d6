#include <gtest/gtest.h>
#include <sys/resource.h>

#include <set>
#include <vector>

#include "tests/host/kernels.h"

namespace gktune {
namespace {

constexpr const char* kSource = R"(
template <class T, int kThreads>
__global__ void sum(const T* in, T* out, long long n) {
  __shared__ T partial[kThreads];
  T mine = 0;
  for (long long i = blockIdx.x * (long long)kThreads + threadIdx.x; i < n; i += (long long)gridDim.x * kThreads) mine += in[i];
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, partial[0]);
}

template <bool kMeets>
__global__ void stacks(unsigned long long* out) {
  volatile int mine = 0;
  out[threadIdx.x] = reinterpret_cast<unsigned long long>(&mine);
  if (kMeets) __syncthreads();
}
)";

class Execution : public WithEachCompiler {
 protected:
  Kernels kernels_{GetParam(), kernel_source(kSource, {"sum<float, 256>", "stacks<false>", "stacks<true>"})};
};

TEST_P(Execution, a_reduction_tree_in_shared_memory_gives_the_sum) {
  const long long n = 10007;
  std::vector<float> in(n, 1);
  for (const std::optional<std::uint64_t> seed :
       {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(7)}) {
    kernels_.executor().set_shuffle_seed(seed);
    float out = 0;
    kernels_.run(0, shape(13, 256), static_cast<const float*>(in.data()), &out, n);
    EXPECT_EQ(out, 10007);
  }
}

// A thread that ran no block of the first launch would have to touch the memory of 256 stacks in the second.
TEST_P(Execution, a_woken_thread_waits_for_no_memory) {
  const std::vector<float> in(1 << 20, 1);
  const auto run = [&](int blocks) {
    float out = 0;
    kernels_.run(0, shape(blocks, 256), in.data(), &out, static_cast<long long>(in.size()));
    EXPECT_EQ(out, 1 << 20);
  };
  const auto page_faults = [] {
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    return use.ru_minflt;
  };
  run(1);
  kernels_.executor().wake();
  const long before = page_faults();
  run(64);
  EXPECT_LT(page_faults() - before, 128);
}

TEST_P(Execution, only_threads_that_wait_have_their_own_stack) {
  const auto count_stacks = [&](std::size_t entry) {
    std::vector<unsigned long long> out(256);
    kernels_.run(entry, shape(1, 256), out.data());
    return std::set<unsigned long long>(out.begin(), out.end()).size();
  };
  EXPECT_EQ(count_stacks(1), 1u);
  EXPECT_EQ(count_stacks(2), 256u);
}

TEST_P(Execution, an_executor_can_outlive_the_code_it_ran) {
  Executor executor({.threads = 2});
  const int n = 4096;
  std::vector<int> in(n, 1);
  for (const char* threads : {"64", "128", "256"}) {
    const SourcePlan source = kernel_source(R"(
__global__ void sum(const int* in, int* out) {
  __shared__ int partial[THREADS];
  partial[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) for (int i = 0; i < THREADS; ++i) atomicAdd(out, partial[i]);
})",
                                            {"sum"}, {{"THREADS", threads}});
    const Result<SharedObject> module = SharedObject::load(compile_kernel(GetParam(), source));
    int out = 0, *out_pointer = &out;
    const int* in_pointer = in.data();
    void* arguments[] = {&in_pointer, &out_pointer};
    const int block = std::stoi(threads);
    ASSERT_TRUE(module->launch(executor, 0, shape(n / block, block), arguments).ok());
    EXPECT_EQ(out, n);
  }
}

TEST_P(Execution, options_reach_the_compiler_unchanged) {
  SourcePlan source = kernel_source(R"(
__global__ void say(int* out) {
#ifdef __FAST_MATH__
  out[0] = ADDED;
#endif
})",
                                    {"say"});
  source.options = {"-march=native", "-ffast-math", "-DADDED=7"};
  int out = 0;
  Kernels(GetParam(), source).run(0, shape(1, 1), &out);
  EXPECT_EQ(out, 7);
}

TEST_P(Execution, the_compiler_reports_an_unknown_option) {
  SourcePlan source = kernel_source("__global__ void nothing() {}", {"nothing"});
  source.options = {"-fnonsense-flag"};
  const CompiledVariant compiled = try_compile(GetParam(), source);
  EXPECT_EQ(status_name(compiled.status), "compile_failed");
  EXPECT_NE(compiled.log.find("-fnonsense-flag"), std::string::npos) << compiled.log;
}

GKTUNE_WITH_EACH_COMPILER(Execution);

}  // namespace
}  // namespace gktune
