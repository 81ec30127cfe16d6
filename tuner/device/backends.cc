#include "tuner/device/backends.h"

#include "tuner/core/device_kinds.h"
#include "tuner/device/host/host_backend.h"
#ifdef GKTUNE_HAVE_CUDA
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/cuda_backend.h"
#endif

namespace gktune {
namespace {

using Opened = Result<std::unique_ptr<Backend>>;

Opened open_host(const BackendName& name, const BackendOptions& options) {
  if (name.ordinal != 0) return Error{"there is one host device: host:0"};
  return {std::make_unique<HostBackend>(options)};
}

#ifdef GKTUNE_HAVE_CUDA
Opened open_cuda(const BackendName& name, const BackendOptions& options) {
  if (find_device_kind(name.kind) == nullptr)
    return open_architecture_backend(name.kind, {options.cuda_home});
  return open_cuda_backend(name.ordinal, {options.cuda_home}, options.cache_dir);
}
#endif

struct BuiltBackend {
  std::string_view kind;
  Opened (*open)(const BackendName&, const BackendOptions&);
};

// The properties of each kind are in core/device_kinds.cc.
constexpr BuiltBackend kBackends[] = {
    {"host", open_host},
#ifdef GKTUNE_HAVE_CUDA
    {"cuda", open_cuda},
#endif
};

}  // namespace

std::vector<std::string> device_kinds() {
  std::vector<std::string> kinds;
  for (const BuiltBackend& each : kBackends) kinds.emplace_back(each.kind);
  return kinds;
}

Result<std::unique_ptr<Backend>> open_backend(const BackendName& name, const BackendOptions& options) {
  const DeviceKind* kind = find_device_kind(name.kind);
  if (kind == nullptr) kind = kind_of_architecture(name.kind);
  if (kind == nullptr) return Error{"no device is called '" + name.kind + "'"};
  for (const BuiltBackend& each : kBackends) {
    if (each.kind == kind->name) return each.open(name, options);
  }
  return Error{"this gktune was built without " + std::string(kind->toolkit)};
}

}  // namespace gktune
