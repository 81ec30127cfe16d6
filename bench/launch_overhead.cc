// Compares launches through gktune::Kernel with bare calls of the driver, and times the first
// launch. Needs a GPU, or the driver of tests/fake_cuda, whose launches do nothing, or read and run
// more than the first caches hold:
//   [FAKE_CUDA_COLD=1] LD_LIBRARY_PATH=build/release/tests/fake_cuda build/release/bench/launch_overhead
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/heap_count.h"
#include "gktune/kernel.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/compile/module_file.h"
#include "tuner/device/cuda/driver/driver.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

constexpr int kRuns = 15;        // of what is timed once each
constexpr int kPairs = 4000;     // of blocks of launches, bare and own in turn
constexpr int kLaunches = 50;    // in a block: fewer than the driver's queue holds
constexpr const char* kSource =
    "extern \"C\" __global__ void add(int* out, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] += threads;\n}\n";
constexpr const char* kSpace =
    "kernel: add\nsource: add.cu\nproblem: {n: [256, 512]}\nparameters: {threads: [64, 128]}\n"
    "arguments:\n  out: {type: int32, extent: n, role: inout, init: zero}\n  n: {type: int32, value: n}\n"
    "launches: {entry: add, grid: \"ceil_div(n, threads)\", block: threads, arguments: [out, n]}\n";

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size()))];
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

class Bench {
 public:
  explicit Bench(const fs::path& folder) : folder_(folder) {
    std::ofstream(folder / "add.cu") << kSource;
    std::ofstream(folder / "add.yaml") << kSpace;
    auto driver = Driver::open();
    if (!driver) fail(driver.error().message);
    driver_ = *driver;
    CUdevice device = 0;
    check(driver_.cuDeviceGet(&device, 0));
    check(driver_.cuDevicePrimaryCtxRetain(&context_, device));
    check(driver_.cuCtxSetCurrent(context_));
    check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
    check(driver_.cuMemAlloc(&memory_, 4096));
  }

  void run() {
    load_bare();
    Kernel kernel = open();
    int* out = reinterpret_cast<int*>(memory_);
    const auto launch = [&](std::int64_t n) {
      auto done = kernel.launch({n}, {out}, stream_);
      if (!done) fail(done.error().message);
    };
    launch(256), launch(512);
    // A bare application keeps this for each size.
    struct Bare {
      CUlaunchConfig config = {};
      int n = 0;
    };
    Bare sizes[2];
    for (const int which : {0, 1}) {
      sizes[which].n = which == 0 ? 256 : 512;
      CUlaunchConfig& config = sizes[which].config;
      config.gridDimX = static_cast<unsigned>(sizes[which].n / 64);
      config.blockDimX = 64;
      config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
      config.hStream = stream_;
    }
    const auto bare = [&](Bare& size) {
      void* parameters[] = {&memory_, &size.n};
      check(driver_.cuLaunchKernelEx(&size.config, function_, parameters, nullptr));
    };
    // Short blocks in turn: clocks and other work of the machine change more slowly than these. Each begins
    // with an empty queue, and its first launches, which wake the driver, are not timed.
    const auto time = [&](const auto& one) {
      synchronize();
      for (int i = 0; i < 10; ++i) one();
      const double begin = now_ns();
      for (int i = 0; i < kLaunches; ++i) one();
      return (now_ns() - begin) / kLaunches;
    };
    struct Comparison {
      std::vector<double> bare_ns, own_ns, differences;
      void add(double bare, double own) {
        bare_ns.push_back(bare), own_ns.push_back(own), differences.push_back(own - bare);
      }
    } one_size, two_sizes;
    int bare_turn = 0, own_turn = 0;
    // The order alternates: each leaves the caches as the other finds them.
    const auto compare = [&](Comparison& comparison, bool is_bare_first, const auto& bare_one,
                             const auto& own_one) {
      const double first = is_bare_first ? time(bare_one) : time(own_one);
      const double second = is_bare_first ? time(own_one) : time(bare_one);
      comparison.add(is_bare_first ? first : second, is_bare_first ? second : first);
    };
    const auto compare_one = [&](bool is_bare_first) {
      compare(one_size, is_bare_first, [&] { bare(sizes[0]); }, [&] { launch(256); });
    };
    const auto compare_two = [&](bool is_bare_first) {
      compare(two_sizes, is_bare_first, [&] { bare(sizes[++bare_turn % 2]); },
              [&] { launch(++own_turn % 2 == 0 ? 256 : 512); });
    };
    for (int pair = 0; pair < kPairs; ++pair) {
      const bool is_bare_first = pair % 2 == 0;
      if (pair % 4 < 2) compare_one(is_bare_first), compare_two(is_bare_first);
      else compare_two(is_bare_first), compare_one(is_bare_first);
    }
    synchronize();
    HeapCount::forget_peak();
    const std::size_t live = HeapCount::live_bytes();
    for (int i = 0; i < 1000; ++i) launch(256);
    const std::size_t allocated = HeapCount::peak_bytes() - live;
    std::printf("medians of %d pairs of blocks of %d launches, bare and own in turn\n", kPairs, kLaunches);
    const auto print = [](const char* what, const Comparison& comparison) {
      // The 95 % confidence interval of the median, if the pairs are independent.
      const double half = 0.98 / std::sqrt(static_cast<double>(kPairs));
      const std::vector<double>& all = comparison.differences;
      std::printf(
          "%-10s bare cuLaunchKernelEx %8.1f ns, gktune::Kernel %8.1f ns: %.1f ns more (95 %%: %.1f to %.1f;"
          " quartiles %.1f to %.1f), bar 100\n",
          what, median(comparison.bare_ns), median(comparison.own_ns), median(all), quantile(all, 0.5 - half),
          quantile(all, 0.5 + half), quantile(all, 0.25), quantile(all, 0.75));
    };
    print("one size", one_size);
    print("two sizes", two_sizes);
    // A launch asks for the calling thread's context: this much of the difference is the driver's.
    const auto ask = [&] {
      CUcontext current = nullptr;
      check(driver_.cuCtxGetCurrent(&current));
    };
    std::vector<double> ask_ns;
    for (int i = 0; i < kPairs; ++i) ask_ns.push_back(time(ask));
    std::printf("cuCtxGetCurrent alone            %8.1f ns, part of each launch through gktune::Kernel\n",
                median(ask_ns));
    std::printf("most memory allocated meanwhile  %8zu bytes, bar 0\n", allocated);
    synchronize();
    time_first_launch();
    capture(kernel, out);
  }

 private:
  void check(CUresult code) const {
    if (code != CUDA_SUCCESS) fail(driver_.describe(code));
  }
  void synchronize() const { check(driver_.cuStreamSynchronize(stream_)); }

  Kernel open() const {
    KernelSettings settings;
    settings.device = "cuda";
    settings.cache_dir = folder_ / "cache";
    auto kernel = Kernel::open((folder_ / "add.yaml").string(), settings);
    if (!kernel) fail(kernel.error().message);
    return std::move(*kernel);
  }

  // The same code without gktune's runtime.
  void load_bare() {
    auto compiler = open_cuda_compiler({});
    if (!compiler) fail(compiler.error().message);
    SourcePlan source;
    source.path = "add.cu";
    source.text = kSource;
    source.macros = {{"threads", "64"}};
    source.entries = {"add"};
    const auto compiled = (*compiler)->compile(
        {.variants = {source}, .architecture = "sm_90", .cache_dir = (folder_ / "bare").string()});
    if (compiled.front().status != Status::ok) fail(compiled.front().log);
    auto code = read_module(compiled.front().module.path);
    if (!code) fail(code.error().message);
    cubin_ = code->cubin;
    symbol_ = compiled.front().module.symbols.front();
    check(driver_.cuModuleLoadData(&module_, cubin_.data()));
    check(driver_.cuModuleGetFunction(&function_, module_, symbol_.c_str()));
  }

  // With the code in the cache on disk.
  void time_first_launch() {
    std::vector<double> first_ms, load_ms, open_ms;
    for (int run = 0; run < kRuns; ++run) {
      double begin = now_ns();
      CUmodule module = nullptr;
      CUfunction function = nullptr;
      check(driver_.cuModuleLoadData(&module, cubin_.data()));
      check(driver_.cuModuleGetFunction(&function, module, symbol_.c_str()));
      load_ms.push_back((now_ns() - begin) / 1e6);
      check(driver_.cuModuleUnload(module));
      begin = now_ns();
      Kernel kernel = open();
      open_ms.push_back((now_ns() - begin) / 1e6);
      begin = now_ns();
      auto done = kernel.launch({256}, {reinterpret_cast<int*>(memory_)}, stream_);
      if (!done) fail(done.error().message);
      first_ms.push_back((now_ns() - begin) / 1e6);
      synchronize();
    }
    std::printf("open                             %8.3f ms\n", median(open_ms));
    std::printf("first launch, code in the cache  %8.3f ms, %.3f ms beyond loading the module alone, bar 5\n",
                median(first_ms), median(first_ms) - median(load_ms));
  }

  // Also of a size whose first launch is captured.
  void capture(Kernel& kernel, int* out) {
    std::vector<int> host(1024);
    check(driver_.cuMemsetD8Async(memory_, 0, 4096, stream_));
    synchronize();
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    check(driver_.cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
    for (const int n : {256, 300}) {
      auto done = kernel.launch({n}, {out}, stream_);
      if (!done) fail("in a capture: " + done.error().message);
    }
    check(driver_.cuStreamEndCapture(stream_, &graph));
    check(driver_.cuGraphInstantiateWithFlags(&executable, graph, 0));
    if (executable == nullptr) {
      std::printf("captured in a graph: the driver does not play it\n");
      return;
    }
    for (int i = 0; i < 3; ++i) check(driver_.cuGraphLaunch(executable, stream_));
    check(driver_.cuMemcpyDtoHAsync(host.data(), memory_, 4096, stream_));
    synchronize();
    const bool is_right = host[0] == 6 * 64 && host[299] == 3 * 64 && host[300] == 0;
    std::printf("captured in a graph, played three times: %s\n", is_right ? "right" : "WRONG");
    if (!is_right) std::exit(1);
  }

  fs::path folder_;
  Driver driver_;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUdeviceptr memory_ = 0;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  std::string cubin_, symbol_;
};

}  // namespace
}  // namespace gktune

int main() {
  const auto folder =
      std::filesystem::temp_directory_path() / ("launch_overhead-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  gktune::Bench(folder).run();
  std::filesystem::remove_all(folder);
}
