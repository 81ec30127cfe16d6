#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/cuda/compile/compile_log.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/device/failure.h"

namespace gktune {

// Machine code on the GPU with the compiler's report on its kernels.
struct CachedModule {
  std::string path;
  LoadedModule code;
  std::vector<KernelResources> kernels;
  bool may_print = true;  // see GpuProgram::may_print
};

// The modules used last: variants that were compiled together share one, and the reference returns. A module
// with variables that kernels write is loaded anew each time: no candidate finds what another one left there.
class ModuleCache {
 public:
  explicit ModuleCache(Gpu& gpu) : gpu_(gpu) {}
  // Shared with programs that use it: the cache may drop it before they end.
  Result<std::shared_ptr<const CachedModule>, Failure> get(const std::string& path);

 private:
  Gpu& gpu_;
  std::list<std::shared_ptr<const CachedModule>> modules_;  // most recently used first
};

}  // namespace gktune
