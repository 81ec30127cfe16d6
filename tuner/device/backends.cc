#include "tuner/device/host/host_backend.h"
#include "tuner/device/worker/backend.h"
#ifdef GKTUNE_HAVE_CUDA
#include "tuner/device/cuda/compile/architecture.h"
#include "tuner/device/cuda/cuda_backend.h"
#endif

namespace gktune {

Result<std::unique_ptr<Backend>> open_backend(const BackendName& name, const BackendOptions& options) {
  if (name.kind == "host") {
    if (name.ordinal != 0) return Error{"there is one host device: host:0"};
    return {std::make_unique<HostBackend>(options)};
  }
  const bool is_architecture = name.kind.starts_with("sm_");
  if (name.kind == "cuda" || is_architecture) {
#ifdef GKTUNE_HAVE_CUDA
    if (is_architecture) return open_architecture_backend(name.kind, {options.cuda_home});
    return open_cuda_backend(name.ordinal, {options.cuda_home}, {options.cache_dir, options.architecture});
#else
    return Error{"this gktune was built without CUDA"};
#endif
  }
  return Error{"no device is called '" + name.kind + "'"};
}

}  // namespace gktune
