#pragma once

#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// The compilers of a backend for GPUs. They need none.
class ToolkitBackend : public Backend {
 public:
  Result<std::string> host_code_compiler() override;
  Result<std::unique_ptr<Compiler>> compiler() override;

 protected:
  explicit ToolkitBackend(const ToolkitPlaces& places) : places_(places) {}
  const ToolkitPlaces& places() const { return places_; }

 private:
  ToolkitPlaces places_;
};

}  // namespace gktune
