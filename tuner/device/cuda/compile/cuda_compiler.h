#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/cuda/compile/nvcc_compiler.h"
#include "tuner/device/cuda/compile/nvrtc.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/source/flat_source.h"

namespace gktune {

// Compiles variants of CUDA kernels with NVRTC, several in one text if the source allows it, and
// launcher code with nvcc. Cached variants are not compiled again.
class CudaCompiler : public Compiler {
 public:
  static Result<std::unique_ptr<CudaCompiler>> open(const ToolkitPlaces& places);

  std::vector<CompiledVariant> compile(const CompileJob& job) override;
  Result<std::string> loadable_code(const Module& module) const override;

 private:
  // A variant to compile.
  struct Pending {
    const SourcePlan* source = nullptr;
    std::string key;
    CompiledVariant* result = nullptr;
  };
  // Variants that share a text.
  struct Batch {
    FlatSource source;
    std::vector<std::string> options;
    std::string source_key;
    std::vector<Pending> pending;
  };
  CudaCompiler(const ToolkitPlaces& places, Nvrtc nvrtc, std::vector<std::string> include_dirs);

  std::vector<CompiledVariant> compile_launcher(const CompileJob& job);

  std::vector<std::string> options_for(const SourcePlan& source, const std::string& architecture) const;
  std::string key_of(const Batch& batch, const SourcePlan& source) const;
  void compile_batch(Batch& batch, CompileCache& cache);
  // Compiles the remaining variants one by one.
  std::vector<Pending> compile_together(Batch& batch, CompileCache& cache);
  // Names the -D option that breaks the headers before the source; nothing
  // if the errors are in the source.
  std::optional<std::string> option_at_fault(const std::vector<std::string>& messages, const Batch& batch,
                                             const SourcePlan& source) const;
  NvrtcOutput compile_one(const Batch& batch, const SourcePlan& source) const;
  void compile_alone(const Batch& batch, const Pending& pending, CompileCache& cache);

  ToolkitPlaces places_;
  std::optional<Result<NvccCompiler>> nvcc_;  // opened when it is needed
  Nvrtc nvrtc_;
  std::vector<std::string> include_dirs_;                     // the toolkit's
  std::vector<std::pair<std::string, std::string>> headers_;  // see standard_headers
  std::string compiler_key_;                                  // of the compiler, without the source
  std::map<std::string, CompileCache> caches_;
  std::set<std::string> unshareable_;  // sources whose variants fail only when they share a program
};

}  // namespace gktune
