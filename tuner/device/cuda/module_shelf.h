#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/cuda/compile_log.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/device/cuda/trouble.h"

namespace gktune {

// Machine code on the GPU, and what its compiler said of it.
struct ShelvedModule {
  ShelvedModule(std::string its_path, LoadedModule its_code, std::vector<KernelResources> its_kernels)
      : path(std::move(its_path)), code(std::move(its_code)), kernels(std::move(its_kernels)) {}

  std::string path;
  LoadedModule code;
  std::vector<KernelResources> kernels;
};

// The modules that were used last: variants that were compiled together, and the reference, come again soon.
class ModuleShelf {
 public:
  explicit ModuleShelf(Gpu& gpu) : gpu_(gpu) {}
  // Shared with those whose kernels come from it: the shelf may drop it before they are done.
  Result<std::shared_ptr<const ShelvedModule>, Trouble> get(const std::string& path);

 private:
  Gpu& gpu_;
  std::list<std::shared_ptr<const ShelvedModule>> modules_;  // the last used first
};

}  // namespace gktune
