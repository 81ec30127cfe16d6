#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tuner/device/host/execute/executor.h"
#include "tuner/device/host/execute/fault_handler.h"
#include "tuner/device/host/host_program.h"
#include "tuner/device/host/sanitize/memory_watch.h"
#include "tuner/device/run/compute_device.h"
#include "tuner/device/worker/cores.h"
#include "tuner/measure/contents.h"

namespace gktune {

// Replaces the contents of the caches by reading other memory.
class CacheSweep {
 public:
  // Reads a little more than the last cache holds, within bounds.
  explicit CacheSweep(std::size_t cache_bytes);
  CacheSweep(const CacheSweep&) = delete;
  CacheSweep& operator=(const CacheSweep&) = delete;
  ~CacheSweep();
  void run();

 private:
  std::span<std::uint64_t> memory_;  // shared: a fork copies no tables for it
  std::vector<int> cores_;
  std::uint64_t sum_ = 0;  // keeps the compiler from removing the reads
};

// This machine's processor, in this process. A crash ends the process; the fault handler reports its place to
// the parent first.
class HostDevice final : public ComputeDevice {
 public:
  explicit HostDevice(std::size_t cache_bytes);

  const DeviceTraits& traits() const override { return traits_; }
  Result<std::uint64_t, Failure> free_bytes() override;
  Result<std::unique_ptr<DeviceBuffer>, Failure> allocate(std::size_t bytes, Placement placement,
                                                          Guards guards) override;
  Result<std::unique_ptr<DeviceBuffer>, Failure> allocate_shared(std::size_t bytes) override;
  Result<std::shared_ptr<const LoadedProgram>, Failure> load(const Module& module, const ProgramPlan& program,
                                                             const std::vector<ArgumentPlan>& arguments,
                                                             Instrumentation instrumentation) override;
  Result<void, Failure> fill(DeviceBuffer& buffer, const ArgumentPlan& argument) override;
  void poison(DeviceBuffer& buffer, const DeviceBuffer* expected, std::byte mask) override;
  void copy(DeviceBuffer& to, const DeviceBuffer& from) override;
  Result<void, Failure> download(std::span<std::byte> to, const DeviceBuffer& from) override;
  Result<std::uint64_t, Failure> digest(const DeviceBuffer& buffer) override;
  Result<Verdict, Failure> compare(const DeviceBuffer& actual, const DeviceBuffer& expected, ElementType type,
                                   const TolerancePlan& tolerance, const DeviceBuffer* mask) override;
  Result<std::optional<double>, Failure> run(const LoadedProgram& program,
                                             std::span<const ArgumentMemory> arguments,
                                             const LaunchOptions& options) override;
  std::unique_ptr<Timer> timer(std::span<const ArgumentMemory> arguments) override;

  Executor& executor() { return executor_; }
  CacheSweep& sweep() { return sweep_; }
  // Binds this thread to the first core, which the executor leaves free, while the result lives. Functions
  // get none: the threads that they start inherit this thread's cores.
  std::optional<PinnedHere> pinned_for(const HostProgram& program) const;

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
  CacheSweep sweep_;
};

}  // namespace gktune
