#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/cuda/nvrtc.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/source/flat_source.h"

namespace gktune {

// Compiles variants of CUDA kernels by NVRTC, as many in one program as the source allows, and never one
// twice.
class CudaCompiler : public Compiler {
 public:
  static Result<std::unique_ptr<CudaCompiler>> open(const ToolkitPlaces& places);

  std::vector<CompiledVariant> compile(const CompileJob& job) override;

 private:
  // A variant that is not in the cache, on its way.
  struct Pending {
    const SourcePlan* source = nullptr;
    std::string key;
    CompiledVariant* result = nullptr;
  };
  // Variants of one text, with what they have in common.
  struct Batch {
    FlatSource source;
    std::vector<std::string> options;
    std::string source_key;
    std::vector<Pending> pending;
  };
  CudaCompiler(Nvrtc nvrtc, std::vector<std::string> include_dirs);

  std::vector<std::string> options_for(const SourcePlan& source, const std::string& architecture) const;
  std::string key_of(const Batch& batch, const SourcePlan& source) const;
  void compile_batch(Batch& batch, CompileCache& cache);
  // The variants that are left to compile alone.
  std::vector<Pending> compile_together(Batch& batch, CompileCache& cache);
  NvrtcOutput compile_one(const Batch& batch, const SourcePlan& source) const;
  void compile_alone(const Batch& batch, const Pending& pending, CompileCache& cache);

  Nvrtc nvrtc_;
  std::vector<std::string> include_dirs_;                     // the toolkit's
  std::vector<std::pair<std::string, std::string>> headers_;  // see standard_headers
  std::string compiler_key_;                                  // of what compiles, apart from the source
  std::map<std::string, CompileCache> caches_;
  std::set<std::string> loners_;  // sources that once failed together for no variant's fault
};

}  // namespace gktune
