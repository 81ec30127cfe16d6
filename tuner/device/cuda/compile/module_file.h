#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/fields.h"

namespace gktune {

// The resources of a kernel that the assembler reports.
struct KernelResources {
  std::string symbol;
  int registers = 0;
  std::int64_t stack_bytes = 0;
  std::int64_t spill_bytes = 0;  // stored and loaded
  std::int64_t static_shared_bytes = 0;
  friend bool operator==(const KernelResources&, const KernelResources&) = default;
};

GKTUNE_FIELDS(KernelResources, symbol, registers, stack_bytes, spill_bytes, static_shared_bytes)

// NVRTC's log, the assembler's part (--ptxas-options=-v) apart from the rest.
struct CompileLog {
  std::vector<std::string> messages;  // errors and warnings, each with the lines that belong to it
  std::vector<KernelResources> kernels;
};

CompileLog read_compile_log(std::string_view log);

// Machine code with the compiler's report on each kernel. Compile workers write it to a file for run workers.
struct CompiledModule {
  std::string cubin;
  std::vector<KernelResources> kernels;  // none of code that another program has made
};

GKTUNE_FIELDS(CompiledModule, cubin, kernels)

std::string pack_module(const CompiledModule& module);
Result<CompiledModule> read_module(const std::filesystem::path& path);

}  // namespace gktune
