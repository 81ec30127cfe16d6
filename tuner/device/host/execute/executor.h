#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/plan_parts.h"
#include "tuner/device/failure.h"
#include "tuner/device/host/include/gktune/abi.h"

namespace gktune {

class MemoryWatch;

struct ExecutionSettings {
  unsigned threads = 0;                             // of the operating system; 0: one per core
  std::size_t stack_bytes = std::size_t{64} << 10;  // of one thread of a block
  // Shuffles blocks and threads by this number alone; none: natural order. Blocks on different threads of the
  // operating system still overlap in any order.
  std::optional<std::uint64_t> shuffle_seed = std::nullopt;
  // Observes instrumented kernels; needs `threads` to be 1.
  MemoryWatch* watch = nullptr;
};

// Runs kernels block by block on its own threads, one launch at a time. The threads start with the first
// launch, in whose floating-point mode they stay.
class Executor {
 public:
  explicit Executor(ExecutionSettings settings);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();

  const ExecutionSettings& settings() const { return settings_; }
  void set_shuffle_seed(std::optional<std::uint64_t> seed) { settings_.shuffle_seed = seed; }

  // Returns when the whole grid has run, or after the first fault.
  Result<void, Failure> run(const kernel::Entry& entry, const LaunchShape& shape,
                            std::span<void* const> arguments);
  // Wakes the threads that earlier launches started and gives all of them the memory that one of them has
  // needed, so that the next launch waits for neither.
  void wake();

 private:
  class Threads;
  ExecutionSettings settings_;
  std::vector<int> cores_;
  std::unique_ptr<Threads> threads_of_blocks_, threads_of_all_blocks_;  // the latter of a cooperative launch
};

}  // namespace gktune
