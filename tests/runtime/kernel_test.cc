// Kernels on the host device, in this process.
#include "runtime/kernel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <numeric>
#include <thread>
#include <vector>

#include "db/sqlite_store.h"
#include "engine/known_device.h"
#include "runtime/launch_device.h"
#include "tests/scratch_folder.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

constexpr const char* kSource = R"(
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

constexpr const char* kSpace = R"yaml(
kernel: total
source: total.cu
problem: {n: [1000, 4000]}
parameters:
  threads: {values: [32, 64, 96, 128], default: 32}
constraints: [threads <= n]
arguments:
  in: {type: float, extent: n, init: {constant: 1}}
  out: {type: float, extent: 2, role: out}
  partial: {type: float, extent: 4, role: scratch}
  n: {type: int32, value: n}
  blocks: {type: int32, value: 4}
  scale: {type: float, value: 1}
launches:
  - {fill: partial, byte: 0}
  - {entry: partial_sums, grid: 4, block: threads, arguments: [in, partial, n]}
  - {entry: finish, arguments: [partial, out, blocks, scale]}
)yaml";

// All tests share compiled code.
class KernelTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { cache_ = new ScratchFolder; }
  static void TearDownTestSuite() {
    delete cache_;
    cache_ = nullptr;
  }

  void SetUp() override {
    folder_.write("total.cu", kSource);
    folder_.write("total.yaml", kSpace);
  }

  KernelSettings settings() {
    KernelSettings settings;
    settings.device = "host";
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
  Kernel open(const KernelSettings& with) const {
    auto kernel = Kernel::open(folder_.path("total.yaml"), with);
    EXPECT_TRUE(kernel.ok()) << kernel.error().message;
    return std::move(*kernel);
  }
  std::string error_of(const KernelSettings& with) const {
    const auto kernel = Kernel::open(folder_.path("total.yaml"), with);
    return kernel.ok() ? "none" : kernel.error().message;
  }

  // Stores a winner.
  void tuned(std::int64_t n, int threads, const std::string& fingerprint = {}) {
    const auto device = open_host_launch_device({});
    const auto definition = read_space_file(folder_.path("total.yaml"), {.device_kind = "host"});
    auto store = *open_sqlite_store(folder_ / "gktune.db", StoreAccess::write);
    const auto session = *store->begin_session({"", "", "", (*device)->info()});
    const auto study =
        *store->study_id({"total", fingerprint.empty() ? definition->fingerprint : fingerprint,
                          identity_of((*device)->info()), {{"n", n}}, Regime::cold, "time"});
    Trial trial;
    trial.config = {{"threads", threads}};
    trial.samples_us = {1, 1, 1};
    trial.timing.median_us = trial.objective = 1;
    trial.ended_unix_ms = 1000;
    ASSERT_TRUE(store->add_trial(study, session, trial).ok());
    ASSERT_TRUE(store->end_session(session).ok());
  }

  // The configuration that computed the total of n ones, if it is right; else 0.
  static int threads_used(Kernel& kernel, std::int64_t n) {
    const std::vector<float> in(static_cast<std::size_t>(n), 1.0f);
    std::vector<float> out(2);
    const auto done = kernel.launch({n}, {in.data(), out.data()});
    EXPECT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(out[0], static_cast<float>(n));
    return static_cast<int>(out[1]);
  }

  static ScratchFolder* cache_;
  ScratchFolder folder_;
  std::vector<std::string> notices_;
};
ScratchFolder* KernelTest::cache_ = nullptr;

TEST_F(KernelTest, without_a_database_the_default_serves_and_every_step_is_launched) {
  Kernel kernel = open(settings());
  EXPECT_EQ(kernel.axes(), (std::vector<std::string>{"n"}));
  EXPECT_EQ(threads_used(kernel, 1000), 32);
  EXPECT_EQ(threads_used(kernel, 1000), 32);  // the scratch memory is filled anew
  const auto choice = kernel.prepare({1000});
  EXPECT_EQ(choice->match, Match::space_default);
  EXPECT_EQ(choice->reason, "no database was given");
  ASSERT_EQ(choice->arguments.size(), 2u);
  EXPECT_EQ(choice->arguments[0].count, 1000u);
  EXPECT_TRUE(choice->arguments[1].is_written);
  EXPECT_TRUE(notices_.empty());
}

TEST_F(KernelTest, two_sizes_through_one_handle_get_their_own_configurations) {
  tuned(1000, 64);
  tuned(4000, 128);
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  EXPECT_EQ(threads_used(kernel, 4000), 128);
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  EXPECT_EQ(threads_used(kernel, 3900), 128);
  EXPECT_EQ(kernel.prepare({1000})->match, Match::exact);
  EXPECT_EQ(kernel.prepare({3900})->match, Match::nearest_problem);
  EXPECT_EQ(threads_used(kernel, 100), 64);  // 128 threads would be more than n
  EXPECT_EQ(threads_used(kernel, 40), 32);
}

TEST_F(KernelTest, winners_of_other_sources_are_not_used) {
  tuned(1000, 64, "other");
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 1000), 32);
  EXPECT_NE(kernel.prepare({1000})->reason.find("1 winner was of other sources"), std::string::npos)
      << kernel.prepare({1000})->reason;
}

TEST_F(KernelTest, a_winner_that_does_not_compile_gives_way_to_the_next_and_is_reported_once) {
  tuned(1000, 96);
  tuned(4000, 64);
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 1000), 64);
  EXPECT_EQ(threads_used(kernel, 1100), 64);
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_NE(notices_[0].find("threads=96: compile_failed"), std::string::npos) << notices_[0];
  EXPECT_NE(kernel.prepare({1000})->reason.find("threads=96"), std::string::npos);
}

TEST_F(KernelTest, a_kernel_none_of_whose_configurations_compiles_is_an_error_each_time) {
  folder_.write("total.cu", "this is no C++");
  Kernel kernel = open(settings());
  float out[2];
  for (int i = 0; i < 2; ++i) {
    const auto done = kernel.launch({1000}, {static_cast<const float*>(out), out});
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.error().message.find("no configuration of total works for n=1000"), std::string::npos)
        << done.error().message;
  }
  EXPECT_EQ(notices_.size(), 1u);
}

TEST_F(KernelTest, the_default_serves_while_the_winner_is_compiled_in_the_background) {
  tuned(1000, 64);
  KernelSettings background = with_database();
  background.compilation = Compilation::in_background;
  background.cache_dir = folder_ / "own";
  Kernel kernel = open(background);
  EXPECT_EQ(threads_used(kernel, 1000), 32);
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (threads_used(kernel, 1000) != 64 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(threads_used(kernel, 1000), 64);
}

TEST_F(KernelTest, compiled_code_is_found_without_the_compiler) {
  const std::string log = folder_ / "log";
  folder_.write("cxx", "#!/bin/sh\ncase \"$*\" in *-shared*) echo once >> " + log + ";; esac\nexec c++ \"$@\"\n");
  std::filesystem::permissions(folder_ / "cxx", std::filesystem::perms(0755));
  KernelSettings logged = settings();
  logged.cxx = folder_ / "cxx";
  logged.cache_dir = folder_ / "own";
  for (int i = 0; i < 2; ++i) {
    Kernel kernel = open(logged);
    EXPECT_EQ(threads_used(kernel, 1000), 32);
    EXPECT_EQ(threads_used(kernel, 2000), 32);
  }
  std::ifstream lines(log);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(lines), {}, '\n'), 1);
}

TEST_F(KernelTest, arguments_of_other_types_or_numbers_are_refused_with_their_names) {
  Kernel kernel = open(settings());
  float in[1000] = {}, out[2] = {};
  double wide[1000] = {};
  const auto error = [&](std::initializer_list<LaunchArgument> arguments) {
    const auto done = kernel.launch({1000}, arguments);
    return done.ok() ? "none" : done.error().message;
  };
  EXPECT_EQ(error({in, out}), "none");
  EXPECT_EQ(error({static_cast<void*>(in), static_cast<const float*>(in)}),
            "argument 2 of total, 'out', is float32*, not const float32*");
  EXPECT_EQ(error({in}), "total takes 2 arguments (in, out), and is given 1");
  EXPECT_EQ(error({in, out, 1000}), "total takes 2 arguments (in, out), and is given 3");
  EXPECT_EQ(error({wide, out}), "argument 1 of total, 'in', is float32*, not float64*");
  EXPECT_EQ(error({in, 5}), "argument 2 of total, 'out', is float32*, not int32");
}

TEST_F(KernelTest, problems_with_other_axes_are_refused) {
  Kernel kernel = open(settings());
  float in[1000] = {}, out[2] = {};
  EXPECT_EQ(kernel.launch({}, {in, out}).error().message, "total has 1 axes (n), and the problem has 0 values");
  EXPECT_EQ(kernel.launch({1, 2}, {in, out}).error().message, "total has 1 axes (n), and the problem has 2 values");
  EXPECT_EQ(kernel.launch({"many"}, {in, out}).error().message,
            "the axis n has values such as 1000, and the problem has many");
  EXPECT_NE(kernel.launch({-1}, {in, out}).error().message.find("the constraints exclude all"), std::string::npos);
}

TEST_F(KernelTest, a_launch_may_pass_scalars_and_scratch_memory_by_name) {
  KernelSettings named = settings();
  named.arguments = {"scale", "out", "in", "partial"};
  Kernel kernel = open(named);
  const std::vector<float> in(1000, 1.0f);
  float out[2] = {}, partial[4] = {};
  ASSERT_TRUE(kernel.launch({1000}, {2.5f, out, in.data(), partial}).ok());
  EXPECT_EQ(out[0], 2500.0f);
  EXPECT_EQ(std::accumulate(partial, partial + 4, 0.0f), 1000.0f);
  EXPECT_EQ(kernel.launch({1000}, {2.5, out, in.data(), partial}).error().message,
            "argument 1 of total, 'scale', is float32, not float64");
}

TEST_F(KernelTest, bad_settings_are_errors) {
  KernelSettings bad = settings();
  bad.arguments = {"in", "outt"};
  EXPECT_NE(error_of(bad).find("there is no argument 'outt', did you mean 'out'?"), std::string::npos);
  bad.arguments = {"in"};
  EXPECT_NE(error_of(bad).find("launches have to pass the buffer 'out'"), std::string::npos);
  bad.arguments = {"in", "out", "in"};
  EXPECT_NE(error_of(bad).find("the argument 'in' is named twice"), std::string::npos);
  bad = settings();
  bad.device = "gpu";
  EXPECT_NE(error_of(bad).find("no device is called 'gpu'"), std::string::npos);
  for (const char* device : {"cuda:all", "sm_90", "replay:x"}) {
    bad.device = device;
    EXPECT_NE(error_of(bad).find("a kernel launches on one device"), std::string::npos) << device;
  }
  bad = settings();
  bad.databases = {folder_ / "no.db"};
  EXPECT_NE(error_of(bad).find("no such file"), std::string::npos);
  bad = settings();
  bad.cxx = "/no/compiler";
  EXPECT_NE(error_of(bad).find("the host device needs a C++ compiler"), std::string::npos);
  folder_.write("file", "");
  bad = settings();
  bad.cache_dir = folder_ / "file" / "cache";
  EXPECT_NE(error_of(bad), "none");
  folder_.write("total.yaml", "kernel: total\n");
  EXPECT_NE(error_of(settings()).find("total.yaml:1:1: error"), std::string::npos) << error_of(settings());
}

TEST_F(KernelTest, several_threads_launch_one_kernel) {
  tuned(1000, 64);
  tuned(4000, 128);
  Kernel kernel = open(with_database());
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10; ++i) {
          right += threads_used(kernel, 1000) == 64 ? 1 : 0;
          right += threads_used(kernel, 4000 + i) == 128 ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(right, 80);
}

TEST_F(KernelTest, autotune_measures_a_missing_size_with_the_caller_s_inputs_and_stores_it) {
  tuned(1000, 64);
  Kernel kernel = open(with_database());
  const std::vector<float> in(50, 1.0f);
  std::vector<float> out(2, -1.0f);
  EXPECT_EQ(kernel.prepare({50})->match, Match::space_default);  // 64 threads are more than n
  const auto tuned = kernel.autotune({50}, {in.data(), out.data()}, 30);
  ASSERT_TRUE(tuned.ok()) << tuned.error().message;
  EXPECT_EQ(tuned->match, Match::exact);
  EXPECT_EQ(tuned->config, (Config{{"threads", 32}}));
  EXPECT_EQ(out, (std::vector<float>{-1.0f, -1.0f}));
  EXPECT_EQ(threads_used(kernel, 50), 32);
  EXPECT_EQ(open(with_database()).prepare({50})->match, Match::exact);
  EXPECT_EQ(kernel.autotune({50}, {}, 30)->match, Match::exact);  // nothing to do
  EXPECT_FALSE(kernel.autotune({51}, {in.data(), out.data()}, 0).ok());
  EXPECT_FALSE(kernel.autotune({51}, {in.data()}, 30).ok());
  EXPECT_EQ(open(settings()).autotune({50}, {in.data(), out.data()}, 30).error().message,
            "autotune needs a database to store its result in");
}

}  // namespace
}  // namespace gktune
