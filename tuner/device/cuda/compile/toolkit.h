#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// The places to look for CUDA in.
struct ToolkitPlaces {
  std::string home;  // CUDA_HOME; empty: the usual places
};

// Existing directories that may hold the toolkit's libraries, the likeliest first.
std::vector<std::string> toolkit_library_dirs(const ToolkitPlaces& places);

// Directories with <cuda_fp16.h> and <cub/block/block_reduce.cuh>: of the toolkit of this NVRTC library if
// that is known, else of any. Empty: none.
std::vector<std::string> toolkit_include_dirs(const ToolkitPlaces& places, const std::string& nvrtc_path);

// The path of nvcc, which compiles launcher code.
Result<std::string> find_nvcc(const ToolkitPlaces& places);

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
