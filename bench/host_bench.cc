// Measures the cost of CUDA C++ on a CPU: kernels on the host device against plain C++ on the same cores.
//   saxpy of 16 Mi elements           within 3 × of a plain loop
//   256-thread tree reduction of them within 15 × of std::reduce
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "tuner/device/host/compile/host_compiler.h"
#include "tuner/device/host/execute/shared_object.h"

namespace {

using namespace gktune;

constexpr std::size_t kCount = std::size_t{1} << 24;
constexpr int kRounds = 21;

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

// A program to measure, on so many threads.
struct Runner {
  std::string name;
  unsigned threads;
  std::function<void()> run;
};

// Wall-clock time, and processor time per thread. Other work on the machine hardly affects the second.
struct Times {
  std::vector<double> clock_ms, processor_ms;

  void measure(const Runner& runner) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const std::clock_t processor_start = std::clock();
    runner.run();
    processor_ms.push_back(static_cast<double>(std::clock() - processor_start) * 1e3 / CLOCKS_PER_SEC /
                           runner.threads);
    clock_ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
};

double median(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

// In turns, so that what else the machine does meets both alike.
void compare(const Runner& kernel, const Runner& peer, int rounds, double bar) {
  Times ours, theirs;
  for (int i = 0; i < rounds; ++i) {
    ours.measure(kernel);
    theirs.measure(peer);
  }
  const double clock_ms = median(ours.clock_ms), peer_clock_ms = median(theirs.clock_ms);
  const double processor_ms = median(ours.processor_ms), peer_processor_ms = median(theirs.processor_ms);
  fmt::print(
      "{}: {:.1f} ms, {} {:.1f} ms, ratio {:.2f}; of each core {:.1f} ms, {:.1f} ms, ratio {:.2f} (bar {})\n",
      kernel.name, clock_ms, peer.name, peer_clock_ms, clock_ms / peer_clock_ms, processor_ms,
      peer_processor_ms, processor_ms / peer_processor_ms, bar);
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
  HostCompiler compiler(named != nullptr ? named : "c++");
  const std::filesystem::path cache = std::filesystem::temp_directory_path() / "gktune-host-bench";
  SourcePlan source;
  source.path = "bench.cu";
  source.text = kSource;
  source.entries = {"saxpy", "reduce<256>"};
  const CompiledVariant compiled = compiler.compile({{source}, "", cache.string()}).at(0);
  if (compiled.status != Status::ok) return fail(compiled.log);
  const Result<SharedObject> module = SharedObject::load(compiled.module);
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
  compare({fmt::format("saxpy of 16 Mi, {} cores", threads), threads,
           [&] {
             launch(0, kCount / 256, {&n, &a, &in, &out});
           }},
          {"a plain loop", threads, [&] { plain_saxpy(a, x, y, threads); }}, kRounds, 3);

  float sum = 0;
  float* sums = partial.data();
  for (int items : {64, 16, 1}) {
    const auto blocks = static_cast<std::int64_t>(kCount) / 256 / items;
    compare({fmt::format("reduction of 16 Mi, 256 threads, {:2} a thread", items), threads,
             [&] {
               launch(1, blocks, {&in, &sums, &n, &items});
             }},
            {"std::reduce", 1, [&] { sum += std::reduce(x.begin(), x.end(), 0.0f); }},
            items == 1 ? kRounds / 7 : kRounds, 15);
    const double total = std::accumulate(partial.begin(), partial.begin() + blocks, 0.0);
    if (total != static_cast<double>(kCount)) return fail(fmt::format("the reduction gives {}", total));
  }
  return is_ok && sum > 0 ? EXIT_SUCCESS : fail("a launch failed");
}
