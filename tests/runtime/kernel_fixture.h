#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "db/database.h"
#include "gktune/kernel.h"
#include "runtime/launch_device.h"
#include "tests/scratch_folder.h"
#include "tuner/space/space_file.h"

namespace gktune {

inline constexpr const char* kSource = R"(
#if threads == 96
#error no kernel for 96 threads
#endif
__global__ void partial_sums(const float* in, float* partial, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  atomicAdd(&partial[blockIdx.x], sum);
}
__global__ void finish(const float* partial, float* out, int blocks, float scale) {
  float sum = 0;
  for (int i = 0; i < blocks; ++i) sum += partial[i];
  out[0] = sum * scale;
  out[1] = threads;
}
)";

inline const std::string kSpaceStart = R"yaml(
kernel: total
source: total.cu
problem: {n: [1000, 4000]}
parameters:
  threads: {values: [32, 64, 96, 128], default: 32}
constraints: [threads <= n]
arguments:
)yaml";
inline const std::string kSpace = kSpaceStart + R"yaml(  in: {type: float, extent: n, init: {constant: 1}}
  out: {type: float, extent: 2, role: out}
  partial: {type: float, extent: 4, role: scratch}
  n: {type: int32, value: n}
launches:
  - {fill: partial, byte: 0}
  - {entry: partial_sums, grid: 4, block: threads, arguments: [in, partial, n]}
  - {entry: finish, arguments: [partial, out, {type: int32, value: 4}, {type: float, value: 1}]}
)yaml";
// The same kernel; its scalars are arguments that applications can pass.
inline const std::string kScaledSpace = kSpaceStart + R"yaml(  scale: {type: float, value: 2}
  in: {type: float, extent: n, init: {constant: 1}}
  out: {type: float, extent: 2, role: out}
  partial: {type: float, extent: blocks, role: scratch}
  n: {type: int32, value: n}
  blocks: {type: int32, value: blocks}
let: {blocks: threads // 8}
launches:
  - {fill: partial, byte: 0}
  - {entry: partial_sums, grid: blocks, block: threads, arguments: [in, partial, n]}
  - {entry: finish, arguments: [partial, out, blocks, scale]}
)yaml";

// The sum of some ones as the kernel computed it, and the threads of its configuration.
using Totals = std::array<float, 2>;

// Memory for the arguments of launches.
class KernelMemory {
 public:
  virtual ~KernelMemory() = default;
  // The value for KernelSettings::device.
  virtual std::string device() const { return "host"; }
  virtual bool is_there() const { return true; }
  // Calls `use` with n ones and with `totals`, which is copied there before and
  // back after it. From any thread.
  using Use = std::function<void(const float* ones, float* totals, void* stream)>;
  virtual void with_ones(std::int64_t n, Totals& totals, const Use& use) const {
    const std::vector<float> ones(static_cast<std::size_t>(n), 1.0f);
    use(ones.data(), totals.data(), nullptr);
  }
};
inline const KernelMemory kHostMemory;
// Prints the device in the names of tests.
inline void PrintTo(const KernelMemory* memory, std::ostream* out) { *out << memory->device(); }

// Kernels in this process, by default on the host device. All tests share compiled code.
class KernelTest : public testing::Test {
 protected:
  explicit KernelTest(const KernelMemory& memory = kHostMemory) : memory_(memory) {}
  static void SetUpTestSuite() { cache_ = new ScratchFolder; }
  static void TearDownTestSuite() {
    delete cache_;
    cache_ = nullptr;
  }

  void SetUp() override {
    if (!memory_.is_there()) GTEST_SKIP() << "there is no device " << memory_.device();
    folder_.write("total.cu", kSource);
    folder_.write("total.yaml", kSpace);
  }

  KernelSettings settings() {
    KernelSettings settings;
    settings.device = memory_.device();
    settings.cache_dir = *cache_ / "code";
    settings.on_notice = [this](const std::string& text) { notices_.push_back(text); };
    settings.worker = {GKTUNE_PROGRAM, "worker"};
    return settings;
  }
  KernelSettings with_database() {
    KernelSettings with = settings();
    with.databases = {folder_ / "gktune.db"};
    return with;
  }
  Kernel open(const KernelSettings& with) const { return *Kernel::open(folder_.path("total.yaml"), with); }
  std::string error_of(const KernelSettings& with) const {
    const auto kernel = Kernel::open(folder_.path("total.yaml"), with);
    return kernel.ok() ? "none" : kernel.error().message;
  }

  // Stores a winner.
  void tuned(std::int64_t n, int threads, const std::string& fingerprint = {},
             const std::string& driver = {}) {
    const auto device = open_launch_device({.device = memory_.device()});
    const auto definition =
        read_space_file(folder_.path("total.yaml"), {.device_kind = (*device)->info().kind});
    auto store = *Database::open(folder_ / "gktune.db", Database::Access::write);
    DeviceInfo info = (*device)->info();
    if (!driver.empty()) info.driver = driver;
    const auto session = *store->begin_session({"", "", "", info});
    const auto study = *store->study_id({"total",
                                         fingerprint.empty() ? definition->fingerprint : fingerprint,
                                         identity_of((*device)->info()),
                                         {{"n", n}},
                                         Regime::cold,
                                         "time"});
    Trial trial;
    trial.config = {{"threads", threads}};
    trial.samples_us = {1, 1, 1};
    trial.timing.median_us = trial.objective = 1;
    trial.ended_unix_ms = 1000;
    ASSERT_TRUE(store->add_trial(study, session, trial).ok());
    ASSERT_TRUE(store->end_session(session).ok());
  }

  // The configuration that computed the total of n ones.
  int threads_used(Kernel& kernel, std::int64_t n) const {
    Totals totals{};
    memory_.with_ones(n, totals, [&](const float* ones, float* out, void* stream) {
      const auto done = kernel.launch({n}, {ones, out}, stream);
      EXPECT_TRUE(done.ok()) << done.error().message;
    });
    EXPECT_EQ(totals[0], static_cast<float>(n));
    return static_cast<int>(totals[1]);
  }
  // Launches until the configuration has this many threads, for some minutes at most.
  int threads_used_at_last(Kernel& kernel, std::int64_t n, int expected) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (threads_used(kernel, n) != expected && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return threads_used(kernel, n);
  }

  static inline ScratchFolder* cache_ = nullptr;
  const KernelMemory& memory_;
  ScratchFolder folder_;
  std::vector<std::string> notices_;
};

// Tests that are the same on all devices.
class KernelLaunches : public KernelTest, public testing::WithParamInterface<const KernelMemory*> {
 protected:
  KernelLaunches() : KernelTest(*GetParam()) {}
};

}  // namespace gktune
