#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "tuner/core/result.h"
#include "tuner/device/failure.h"
#include "tuner/device/host/include/gktune/abi.h"
#include "tuner/device/launch_shape.h"

namespace gktune {

class MemoryWatch;

struct ExecutionSettings {
  unsigned threads = 0;                             // of the operating system, that run blocks; 0: one a core
  std::size_t stack_bytes = std::size_t{64} << 10;  // for a thread of a block
  // Blocks and threads run in an order that depends on this number alone; none: in the natural order. With
  // more than one thread of the operating system blocks still overlap as they please.
  std::optional<std::uint64_t> shuffle_seed = std::nullopt;
  // Told of what instrumented kernels do; asks for one thread.
  MemoryWatch* watch = nullptr;
};

// Runs kernels, block by block, on threads that live as long as it does. One launch at a time.
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

 private:
  class Crew;
  ExecutionSettings settings_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace gktune
