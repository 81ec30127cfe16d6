#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/cuda/compile_log.h"

namespace gktune {

// Machine code, and what its compiler said of each kernel in it: what a compile worker leaves in a file for
// the run worker.
struct CompiledModule {
  std::string cubin;
  std::vector<KernelResources> kernels;
};

std::string pack_module(const CompiledModule& module);
Result<CompiledModule> read_module(const std::filesystem::path& path);

}  // namespace gktune
