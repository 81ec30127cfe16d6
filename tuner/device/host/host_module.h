#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/failure.h"
#include "tuner/device/host/executor.h"
#include "tuner/device/host/whereabouts.h"
#include "tuner/device/worker/job.h"

namespace gktune {

// A shared object made by HostCompiler, loaded into this process.
class HostModule {
 public:
  static Result<HostModule> load(const Module& module);

  std::size_t entry_count() const { return entries_.size(); }
  // What the compiler knows of an entry: how many arguments, how wide each one is, which are pointers.
  const kernel::Entry& entry(std::size_t index) const { return *entries_[index]; }

  // Runs an entry: a kernel over the whole grid; a plain function (of `language: c++`) once, whatever the
  // shape says. Each argument points to its value, as cuLaunchKernel takes them.
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
