// What running CUDA C++ on a CPU costs: kernels on the host device against plain C++ on the same cores.
//   saxpy of 16 Mi elements           within 3 × of a plain loop
//   256-thread tree reduction of them within 15 × of std::reduce
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "tuner/device/host/host_compiler.h"
#include "tuner/device/host/host_module.h"

namespace {

using namespace gktune;

constexpr std::size_t kCount = std::size_t{1} << 24;
constexpr int kRounds = 7;

constexpr const char* kSource = R"(
__global__ void saxpy(long long n, float a, const float* x, float* y) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// Each block sums kThreads * items elements, then its threads' sums as a tree.
template <int kThreads>
__global__ void reduce(const float* in, float* out, long long n, int items) {
  __shared__ float partial[kThreads];
  float sum = 0;
  const long long first = blockIdx.x * (long long)kThreads * items + threadIdx.x;
  for (int k = 0; k < items; ++k) {
    const long long i = first + (long long)k * kThreads;
    if (i < n) sum += in[i];
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}
)";

double median_ms(const std::function<void()>& run) {
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
  return times[kRounds / 2];
}

void plain_saxpy(float a, const std::vector<float>& x, std::vector<float>& y, unsigned threads) {
  std::vector<std::thread> crew;
  for (unsigned t = 0; t < threads; ++t) {
    crew.emplace_back([&, t] {
      const std::size_t end = kCount * (t + 1) / threads;
      for (std::size_t i = kCount * t / threads; i < end; ++i) y[i] = a * x[i] + y[i];
    });
  }
  for (std::thread& thread : crew) thread.join();
}

int fail(const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  return EXIT_FAILURE;
}

}  // namespace

int main() {
  const char* named = std::getenv("CXX");
  HostCompiler compiler({.cxx = named != nullptr ? named : "c++", .headers_dir = {}});
  const std::filesystem::path cache = std::filesystem::temp_directory_path() / "gktune-host-bench";
  SourcePlan source;
  source.path = "bench.cu";
  source.text = kSource;
  source.entries = {"saxpy", "reduce<256>"};
  const CompiledVariant compiled =
      compiler.compile({{source}, "", cache.string(), Instrumentation::none}).at(0);
  if (compiled.status != Status::ok) return fail(compiled.log);
  const Result<HostModule> module = HostModule::load(compiled.module);
  if (!module) return fail(module.error().message);

  Executor executor({});
  const unsigned threads = executor.settings().threads;
  std::vector<float> x(kCount, 1.0f), y(kCount, 2.0f), partial(kCount / 256);
  bool is_ok = true;
  const auto launch = [&](std::size_t entry, std::int64_t blocks, std::vector<void*> arguments) {
    is_ok = is_ok && module->launch(executor, entry, {{blocks, 1, 1}, {256, 1, 1}, 0}, arguments).ok();
  };

  auto n = static_cast<long long>(kCount);
  float a = 0.5f;
  const float* in = x.data();
  float* out = y.data();
  const double plain_ms = median_ms([&] { plain_saxpy(a, x, y, threads); });
  const double saxpy_ms = median_ms([&] { launch(0, kCount / 256, {&n, &a, &in, &out}); });
  fmt::print("saxpy of 16 Mi, {} cores: {:.1f} ms; a plain loop {:.1f} ms; ratio {:.2f} (bar 3)\n", threads,
             saxpy_ms, plain_ms, saxpy_ms / plain_ms);

  float sum = 0;
  const double std_ms = median_ms([&] { sum += std::reduce(x.begin(), x.end(), 0.0f); });
  float* sums = partial.data();
  for (int items : {64, 16, 1}) {
    const auto blocks = static_cast<std::int64_t>(kCount) / 256 / items;
    const double reduce_ms = median_ms([&] { launch(1, blocks, {&in, &sums, &n, &items}); });
    const double total = std::accumulate(partial.begin(), partial.begin() + blocks, 0.0);
    if (total != static_cast<double>(kCount)) return fail(fmt::format("the reduction gives {}", total));
    fmt::print(
        "reduction of 16 Mi, 256 threads, {:2} a thread: {:.1f} ms; std::reduce {:.1f} ms; ratio {:.2f} (bar "
        "15)\n",
        items, reduce_ms, std_ms, reduce_ms / std_ms);
  }
  return is_ok && sum > 0 ? EXIT_SUCCESS : fail("a launch failed");
}
