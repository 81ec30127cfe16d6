#pragma once

#include <map>
#include <string>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/compile_cache.h"

namespace gktune {

// Compiles launcher code (`language: host`) for a GPU with nvcc into shared objects, and keeps them.
class NvccCompiler : public Compiler {
 public:
  // An error if the toolkit has no nvcc.
  static Result<NvccCompiler> open(const ToolkitPlaces& places);

  const std::string& version() const { return version_; }  // "nvcc 13.0.88 with gcc 12.2.0"

  std::vector<CompiledVariant> compile(const CompileJob& job) override;

 private:
  NvccCompiler() = default;
  std::vector<std::string> command(const SourcePlan& source, const std::string& architecture) const;
  CompiledVariant compile(const SourcePlan& source, const std::string& architecture, CompileCache& cache);

  std::string nvcc_;
  std::string version_;
  std::string compiler_key_;  // of nvcc, the C++ compiler that it calls, and the options from its environment
  std::vector<int> architectures_;  // 80 for sm_80
  std::map<std::string, CompileCache> caches_;
};

}  // namespace gktune
