#include <sys/mman.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <new>
#include <span>
#include <thread>
#include <utility>

#include "tuner/device/host/execute/executor.h"
#include "tuner/device/host/execute/fault_handler.h"
#include "tuner/device/host/execute/guarded_buffer.h"
#include "tuner/device/host/host_backend.h"
#include "tuner/device/host/host_program.h"
#include "tuner/device/host/sanitize/memory_watch.h"
#include "tuner/device/worker/cores.h"
#include "tuner/measure/contents.h"
#include "tuner/measure/element.h"

namespace gktune {
namespace {

// The clock's resolution would dominate a shorter sample.
constexpr double kShortestSampleUs = 20;
constexpr int kMostExecutions = 1000;

DeviceTraits host_traits() {
  DeviceTraits traits;
  traits.stopping.tolerance = 0.01;
  traits.stopping.min_samples = 5;
  traits.stopping.max_samples = 100;
  traits.stopping.max_seconds = 0.5;
  traits.stopping.hard_seconds = 20;
  // A move takes as long as an execution.
  traits.timed_placements = {Placement::at_end, Placement::at_end};
  traits.shares_memory = true;
  traits.fresh_slack_us = 500;  // a new process: its threads sleep, and the predictors of its cores know nothing
  return traits;
}

std::span<const std::byte> contents(const DeviceBuffer& buffer) {
  return {reinterpret_cast<const std::byte*>(buffer.address()), buffer.bytes()};
}
std::span<std::byte> contents(DeviceBuffer& buffer) {
  return {reinterpret_cast<std::byte*>(buffer.address()), buffer.bytes()};
}

std::vector<NamedMemory> names_of(std::span<const ArgumentMemory> arguments) {
  std::vector<NamedMemory> names;
  for (const ArgumentMemory& argument : arguments) {
    if (argument.buffer == nullptr) continue;
    names.push_back({argument.name, reinterpret_cast<const void*>(argument.buffer->address()),
                     argument.buffer->bytes(), static_cast<const GuardedBuffer&>(*argument.buffer).mapping(),
                     argument.is_unwritten, argument.is_read_only});
  }
  return names;
}

// Replaces the contents of the caches by reading other memory.
class CacheSweep {
 public:
  // Reads a little more than the last cache holds, within bounds.
  explicit CacheSweep(std::size_t cache_bytes) : cores_(own_cores()) {
    constexpr std::size_t kLeastBytes = std::size_t{16} << 20, kMostBytes = std::size_t{64} << 20;
    constexpr std::size_t kMostThreads = 16;
    const std::size_t bytes = std::clamp(cache_bytes + cache_bytes / 4, kLeastBytes, kMostBytes);
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = {static_cast<std::uint64_t*>(memory), bytes / sizeof(std::uint64_t)};
    std::ranges::fill(memory_, 1);
    if (cores_.empty()) cores_ = {0};
    if (cores_.size() > kMostThreads) cores_.resize(kMostThreads);
  }

  CacheSweep(const CacheSweep&) = delete;
  CacheSweep& operator=(const CacheSweep&) = delete;
  ~CacheSweep() { ::munmap(memory_.data(), memory_.size_bytes()); }

  // Each core reads all of it, to sweep its own caches as well as the shared one.
  void run() {
    constexpr std::size_t kWordsPerLine = 8;
    std::atomic<std::uint64_t> total{0};
    const auto read = [&](int core, std::size_t first) {
      keep_to(core);
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < memory_.size(); i += kWordsPerLine)
        sum += memory_[(first + i) % memory_.size()];
      total += sum;
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      threads.emplace_back(read, cores_[i], i * memory_.size() / cores_.size());
    }
    for (std::thread& thread : threads) thread.join();
    sum_ += total;
  }

 private:
  std::span<std::uint64_t> memory_;  // shared: a fork copies no tables for it
  std::vector<int> cores_;
  std::uint64_t sum_ = 0;  // keeps the compiler from removing the reads
};

// This machine's processor, in this process. A crash ends the process; the fault handler reports its place to
// the parent first.
class HostDevice final : public ComputeDevice {
 public:
  explicit HostDevice(std::size_t cache_bytes)
      : traits_(host_traits()), cores_(own_cores()), executor_(ExecutionSettings{}), sweep_(cache_bytes) {
    set_fault_handlers();
  }

  const DeviceTraits& traits() const override { return traits_; }
  Result<std::uint64_t, Failure> free_bytes() override { return runner_share_bytes(); }

  Result<std::unique_ptr<DeviceBuffer>, Failure> allocate(std::size_t bytes, Placement placement,
                                                          Guards) override {
    auto buffer = GuardedBuffer::allocate(bytes, placement, next_pattern_++);
    if (!buffer) return buffer.error();
    return std::unique_ptr<DeviceBuffer>(*std::move(buffer));
  }

  Result<std::unique_ptr<DeviceBuffer>, Failure> allocate_shared(std::size_t bytes) override {
    auto buffer =
        GuardedBuffer::allocate(bytes, Placement::at_end, next_pattern_++, GuardedBuffer::Sharing::shared);
    if (!buffer) return buffer.error();
    return std::unique_ptr<DeviceBuffer>(*std::move(buffer));
  }

  Result<std::shared_ptr<const LoadedProgram>, Failure> load(
      const Module& module, const ProgramPlan& program, const std::vector<ArgumentPlan>& arguments) override {
    auto loaded = HostProgram::load(module, program, arguments);
    if (!loaded) return loaded.error();
    return std::shared_ptr<const LoadedProgram>(std::make_shared<HostProgram>(std::move(*loaded)));
  }

  Result<void, Failure> fill(DeviceBuffer& buffer, const ArgumentPlan& argument) override {
    if (auto filled = fill_contents(argument.type, argument.contents, contents(buffer)); !filled) {
      return Failure{Status::invalid, "argument '" + argument.name + "': " + filled.error().message};
    }
    return {};
  }

  void poison(DeviceBuffer& buffer, const DeviceBuffer* expected, std::byte mask) override {
    gktune::poison(expected == nullptr ? std::span<const std::byte>() : contents(*expected), mask,
                   contents(buffer));
  }

  void copy(DeviceBuffer& to, const DeviceBuffer& from) override {
    std::ranges::copy(contents(from), contents(to).begin());
  }

  Result<void, Failure> download(std::span<std::byte> to, const DeviceBuffer& from) override {
    std::ranges::copy(contents(from).first(to.size()), to.begin());
    return {};
  }

  Result<std::uint64_t, Failure> digest(const DeviceBuffer& buffer) override {
    return XXH3_64bits(contents(buffer).data(), buffer.bytes());
  }

  Result<std::vector<Verdict>, Failure> compare(std::span<const BufferPair> pairs) override {
    return judge_here(pairs);
  }

  Result<std::optional<double>, Failure> run(const LoadedProgram& loaded,
                                             std::span<const ArgumentMemory> arguments,
                                             const LaunchOptions& options) override {
    const auto& program = static_cast<const HostProgram&>(loaded);
    const MemoryNames names(names_of(arguments));
    const bool is_watched = program.instrumentation() != Instrumentation::none;
    if (is_watched && watched_ == nullptr) watched_ = std::make_unique<WatchedExecutor>();
    if (is_watched) {
      watched_->watch.set_buffers(names_of(arguments));
      watched_->watch.allow(allowed_races_);
    }
    Executor& executor = is_watched ? watched_->executor : executor_;
    const auto pinned = pinned_for(program);
    const FloatingPointMode mode(program.floating_point_mode());
    executor.set_shuffle_seed(options.seed);
    const auto addresses = addresses_of<std::uintptr_t>(arguments);
    const auto done = program.launch(executor, program.values_at(addresses).data());
    executor.set_shuffle_seed(std::nullopt);
    if (!done) return done.error();
    return std::optional<double>();  // new memory makes it slower than executions that are timed
  }

  void allow(const AllowedRaces& races) override { allowed_races_ = races; }
  std::string take_harmless() override {
    return watched_ == nullptr ? std::string() : watched_->watch.take_harmless();
  }

  Result<double, Failure> time_once(const std::shared_ptr<const LoadedProgram>& program,
                                    std::span<const ProblemMemory> problems,
                                    const OnceOptions& options) override {
    const Preparation prepare = [&] {
      if (!options.are_caches_prepared) prepare_caches(problems, options.regime);
    };
    return time(static_cast<const HostProgram&>(*program), problems.front(), 1, prepare);
  }

  void prepare_caches(std::span<const ProblemMemory> problems, Regime regime) override {
    if (regime == Regime::cold) return sweep_.run();
    for (const ProblemMemory& problem : problems) {
      for (const ArgumentMemory& argument : problem)
        if (argument.buffer != nullptr) sum_ += *digest(*argument.buffer);
    }
  }

  std::unique_ptr<Timer> timer(std::span<const ArgumentMemory> arguments) override;

  using Preparation = std::function<void()>;
  // The mean time of these executions in a row, which `prepare_caches` precedes.
  Result<double, Failure> time(const HostProgram& program, ProblemMemory arguments, int executions,
                               const Preparation& prepare_caches) {
    const auto addresses = addresses_of<std::uintptr_t>(arguments);
    const std::vector<void*> values = program.values_at(addresses);
    const MemoryNames names(names_of(arguments));
    const auto pinned = pinned_for(program);
    const FloatingPointMode mode(program.floating_point_mode());
    if (auto done = program.prepare(executor_, values.data()); !done) return done.error();
    prepare_caches();
    executor_.wake();  // an execution that is timed alone then waits no longer than one in a row
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < executions; ++i) {
      if (auto done = program.execute(executor_, values.data()); !done) return done.error();
    }
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    program.finish(values.data());
    return std::chrono::duration<double, std::micro>(elapsed).count() / executions;
  }

  // Binds this thread to the first core, which the executor leaves free, while the result lives. Functions
  // get none: the threads that they start inherit this thread's cores. Nor do instrumented kernels, which run
  // without other threads: several processes may sanitize at a time.
  std::optional<PinnedHere> pinned_for(const HostProgram& program) const {
    const bool has_threads = program.has_kernels() && program.instrumentation() == Instrumentation::none;
    if (!has_threads || cores_.empty()) return std::nullopt;
    return std::optional<PinnedHere>(std::in_place, cores_.front());
  }

 private:
  // Runs instrumented code, block by block.
  struct WatchedExecutor {
    MemoryWatch watch;
    Executor executor{{.threads = 1, .watch = &watch}};
  };

  DeviceTraits traits_;
  GuardPattern next_pattern_ = 0;
  FaultStack fault_stack_;
  std::vector<int> cores_;
  Executor executor_;
  std::unique_ptr<WatchedExecutor> watched_;  // once a program is instrumented
  AllowedRaces allowed_races_;
  CacheSweep sweep_;
  std::uint64_t sum_ = 0;  // keeps the compiler from removing reads
};

// Times whole executions with the system's clock.
class HostSampler final : public Sampler {
 public:
  HostSampler(HostDevice& device, std::span<const ArgumentMemory> arguments,
              std::shared_ptr<const LoadedProgram> program, Regime regime)
      : device_(device), arguments_(arguments), program_(std::move(program)), regime_(regime) {}

  // Determines the number of executions per sample. It is one for cold caches, and where the inputs must be
  // restored before each execution.
  Result<void, Failure> warm_up() override {
    const bool restores_inputs =
        std::ranges::any_of(arguments_, [](const auto& argument) { return argument.original != nullptr; });
    const bool is_prepared_each = static_cast<const HostProgram&>(*program_).needs_each_setup();
    if (regime_ == Regime::cold || restores_inputs || is_prepared_each) return {};
    const auto first_us = sample_us();
    if (!first_us) return first_us.error();
    executions_ = static_cast<int>(
        std::clamp<double>(std::ceil(kShortestSampleUs / std::max(*first_us, 0.01)), 1, kMostExecutions));
    return {};
  }

  Result<double, Failure> sample_us() override {
    for (const ArgumentMemory& argument : arguments_) {
      if (argument.original != nullptr) device_.copy(*argument.buffer, *argument.original);
    }
    return device_.time(static_cast<const HostProgram&>(*program_), arguments_, executions_, [this] {
      if (regime_ == Regime::cold) device_.prepare_caches({}, regime_);
    });
  }

  Result<std::optional<EnergyReading>, Failure> measure_energy(double) override {
    return std::optional<EnergyReading>();
  }

 private:
  HostDevice& device_;
  std::span<const ArgumentMemory> arguments_;
  std::shared_ptr<const LoadedProgram> program_;
  Regime regime_;
  int executions_ = 1;  // per sample
};

class HostTimer final : public Timer {
 public:
  HostTimer(HostDevice& device, std::span<const ArgumentMemory> arguments)
      : device_(device), arguments_(arguments) {}

  std::unique_ptr<Sampler> sampler(std::shared_ptr<const LoadedProgram> program, Regime regime,
                                   double) override {
    return std::make_unique<HostSampler>(device_, arguments_, std::move(program), regime);
  }

 private:
  HostDevice& device_;
  std::span<const ArgumentMemory> arguments_;
};

std::unique_ptr<Timer> HostDevice::timer(std::span<const ArgumentMemory> arguments) {
  return std::make_unique<HostTimer>(*this, arguments);
}

}  // namespace

std::unique_ptr<ComputeDevice> make_host_device(std::size_t cache_bytes) {
  return std::make_unique<HostDevice>(cache_bytes);
}

}  // namespace gktune
