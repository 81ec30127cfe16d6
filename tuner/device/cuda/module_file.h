#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/cuda/compile_log.h"

namespace gktune {

// Machine code, and what its compiler said of each kernel in it: what a compile worker leaves for the run
// worker.
struct CompiledModule {
  std::string cubin;
  std::vector<KernelResources> kernels;
};

// Written under another name first, so that a reader sees all of it or nothing.
Result<void> write_module(const std::filesystem::path& path, const CompiledModule& module);
Result<CompiledModule> read_module(const std::filesystem::path& path);

}  // namespace gktune
