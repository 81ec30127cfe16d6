#include "tuner/device/cuda/compile/toolkit_backend.h"

#include "tuner/device/cuda/compile/cuda_compiler.h"
#include "tuner/device/cuda/compile/nvcc_compiler.h"

namespace gktune {

Result<std::string> ToolkitBackend::host_code_compiler() {
  const auto nvcc = NvccCompiler::open(places_);
  if (!nvcc) return nvcc.error();
  return nvcc->version();
}

Result<std::unique_ptr<Compiler>> ToolkitBackend::compiler() {
  auto compiler = CudaCompiler::open(places_);
  if (!compiler) return compiler.error();
  return std::unique_ptr<Compiler>(std::move(*compiler));
}

}  // namespace gktune
