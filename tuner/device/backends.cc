#include "tuner/device/backends.h"

#include "tuner/core/device_info.h"
#include "tuner/device/host/host_backend.h"
#include "tuner/device/run/compute_device.h"
#ifdef GKTUNE_HAVE_CUDA
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/cuda_backend.h"
#endif

namespace gktune {
namespace {

using Opened = Result<std::unique_ptr<Backend>>;
using OpenedHardware = Result<std::unique_ptr<ComputeDevice>>;

Opened open_host(const BackendName& name, const BackendOptions& options) {
  if (name.ordinal != 0) return Error{"there is one host device: host:0"};
  return {std::make_unique<HostBackend>(options)};
}

OpenedHardware open_host_hardware(const BackendName&, const BackendOptions&) { return open_host_device(); }

#ifdef GKTUNE_HAVE_CUDA
Opened open_cuda(const BackendName& name, const BackendOptions& options) {
  if (find_device_kind(name.kind) == nullptr)
    return open_architecture_backend(name.kind, {options.cuda_home});
  return open_cuda_backend(name.ordinal, {options.cuda_home}, options.cache_dir);
}

OpenedHardware open_cuda_hardware(const BackendName& name, const BackendOptions& options) {
  return open_cuda_device(name.ordinal, {options.cuda_home}, options.cache_dir);
}
#endif

struct BuiltBackend {
  std::string_view kind;
  Opened (*open)(const BackendName&, const BackendOptions&);
  OpenedHardware (*open_hardware)(const BackendName&, const BackendOptions&);
};

// The properties of each kind are in core/device_kinds.cc.
constexpr BuiltBackend kBackends[] = {
    {"host", open_host, open_host_hardware},
#ifdef GKTUNE_HAVE_CUDA
    {"cuda", open_cuda, open_cuda_hardware},
#endif
};

Result<const BuiltBackend*> find_backend(const BackendName& name) {
  const DeviceKind* kind = find_device_kind(name.kind);
  if (kind == nullptr) kind = kind_of_architecture(name.kind);
  if (kind == nullptr) return Error{"no device is called '" + name.kind + "'"};
  for (const BuiltBackend& each : kBackends) {
    if (each.kind == kind->name) return &each;
  }
  return Error{"this gktune was built without " + std::string(kind->toolkit)};
}

}  // namespace

std::vector<std::string> device_kinds() {
  std::vector<std::string> kinds;
  for (const BuiltBackend& each : kBackends) kinds.emplace_back(each.kind);
  return kinds;
}

Result<std::unique_ptr<Backend>> open_backend(const BackendName& name, const BackendOptions& options) {
  const auto found = find_backend(name);
  if (!found) return found.error();
  return (*found)->open(name, options);
}

Result<std::unique_ptr<ComputeDevice>> open_compute_device(const BackendName& name,
                                                           const BackendOptions& options) {
  const auto found = find_backend(name);
  if (!found) return found.error();
  return (*found)->open_hardware(name, options);
}

}  // namespace gktune
