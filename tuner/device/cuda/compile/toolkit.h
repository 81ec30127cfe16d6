#pragma once

#include <memory>
#include <string>

#include "gktune/result.h"
#include "tuner/device/host/compile/toolkit_places.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// Compiles variants of CUDA kernels with NVRTC, several in one text if the source allows it, and
// launcher code with nvcc. Cached variants are not compiled again.
Result<std::unique_ptr<Compiler>> open_cuda_compiler(const ToolkitPlaces& places);

// The compilers of a backend for GPUs. They need none.
class ToolkitBackend : public Backend {
 public:
  Result<std::string> host_code_compiler() override;
  Result<std::unique_ptr<Compiler>> compiler() override { return open_cuda_compiler(places_); }

 protected:
  explicit ToolkitBackend(const ToolkitPlaces& places) : places_(places) {}
  const ToolkitPlaces& places() const { return places_; }

 private:
  ToolkitPlaces places_;
};

// The limits of a GPU architecture, "sm_90", without a GPU. Limits that differ between chips are those of a
// common chip; the name says which. An error if the architecture is unknown.
Result<DeviceInfo> architecture_info(const std::string& architecture);

// Compiles for an architecture. Its runner launches nothing: it reports the resources of the compiled code
// and fails what the architecture cannot launch.
std::unique_ptr<Backend> open_architecture_backend(std::string architecture, const ToolkitPlaces& places);

}  // namespace gktune
