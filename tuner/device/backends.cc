#include "tuner/device/host/host_backend.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

Result<std::unique_ptr<Backend>> open_backend(const BackendName& name, const BackendOptions& options) {
  if (name.kind == "host") {
    if (name.ordinal != 0) return Error{"there is one host device: host:0"};
    return {std::make_unique<HostBackend>(options)};
  }
  if (name.kind == "cuda") return Error{"this gktune was built without CUDA"};
  return Error{"no device is called '" + name.kind + "'"};
}

}  // namespace gktune
