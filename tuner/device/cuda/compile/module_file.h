#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/cuda/compile/compile_log.h"

namespace gktune {

// Machine code with the compiler's report on each kernel. Compile workers write it to a file for run workers.
struct CompiledModule {
  std::string cubin;
  std::vector<KernelResources> kernels;
};

std::string pack_module(const CompiledModule& module);
Result<CompiledModule> read_module(const std::filesystem::path& path);

}  // namespace gktune
