#include "tuner/device/backends.h"

#include "tuner/core/device_info.h"
#include <algorithm>
#include "tuner/device/host/host_backend.h"
#include "tuner/device/run/compute_device.h"
#ifdef GKTUNE_HAVE_CUDA
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/cuda_backend.h"
#endif

namespace gktune {
namespace {

// The kind of the backend. An error says why this build has no such backend.
Result<const DeviceKind*> built_kind(const BackendName& name) {
  const DeviceKind* kind = find_device_kind(name.kind);
  if (kind == nullptr) kind = kind_of_architecture(name.kind);
  if (kind == nullptr) return Error{"no device is called '" + name.kind + "'"};
  const std::vector<std::string> built = device_kinds();
  if (std::ranges::find(built, kind->name) != built.end()) return kind;
  return Error{"this gktune was built without " + std::string(kind->toolkit)};
}

}  // namespace

// The properties of each kind are in core/device_kinds.cc.
std::vector<std::string> device_kinds() {
#ifdef GKTUNE_HAVE_CUDA
  return {"host", "cuda"};
#else
  return {"host"};
#endif
}

Result<std::unique_ptr<Backend>> open_backend(const BackendName& name, const BackendOptions& options) {
  [[maybe_unused]] const DeviceKind* const kind = GKTUNE_TRY(built_kind(name));
#ifdef GKTUNE_HAVE_CUDA
  if (kind->name == "cuda") {
    if (name.kind != "cuda") return open_architecture_backend(name.kind, {options.cuda_home});
    return open_cuda_backend(name.ordinal, options);
  }
#endif
  if (name.ordinal != 0) return Error{"there is one host device: host:0"};
  return make_host_backend(options);
}

Result<std::unique_ptr<ComputeDevice>> open_compute_device(const BackendName& name,
                                                           const BackendOptions& options) {
  [[maybe_unused]] const DeviceKind* const kind = GKTUNE_TRY(built_kind(name));
#ifdef GKTUNE_HAVE_CUDA
  if (kind->name == "cuda") return open_cuda_device(name.ordinal, {options.cuda_home}, options.cache_dir);
#endif
  return open_host_device();
}

}  // namespace gktune
