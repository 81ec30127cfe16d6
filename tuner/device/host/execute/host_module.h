#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/failure.h"
#include "tuner/device/host/execute/executor.h"
#include "tuner/device/host/execute/whereabouts.h"
#include "tuner/device/worker/job.h"

namespace gktune {

// A shared object made by HostCompiler, loaded into this process.
class HostModule {
 public:
  static Result<HostModule> load(const Module& module);

  std::size_t entry_count() const { return entries_.size(); }
  // Number, width and kind of the arguments.
  const kernel::Entry& entry(std::size_t index) const { return *entries_[index]; }

  // Calls a function once. Each argument points to its value. The stream is for host code.
  Result<void, Failure> call(std::size_t entry, std::span<void* const> arguments, void* stream) const;

  // Runs a kernel over the whole grid, or a function once. Each argument points to
  // its value, as for cuLaunchKernel.
  Result<void, Failure> launch(Executor& executor, std::size_t entry, const LaunchShape& shape,
                               std::span<void* const> arguments) const;

 private:
  struct Unload {
    void operator()(void* handle) const;
  };
  explicit HostModule(void* handle) : handle_(handle) {}

  std::unique_ptr<void, Unload> handle_;
  std::vector<const kernel::Entry*> entries_;
  CodeRange code_;
};

}  // namespace gktune
