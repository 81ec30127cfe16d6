#pragma once

#include <string>
#include <vector>

#include "gktune/result.h"

namespace gktune {

// The places to look for CUDA in.
struct ToolkitPlaces {
  std::string home;  // CUDA_HOME; empty: the usual places
};

// Existing directories that may hold the toolkit's libraries, the likeliest first.
std::vector<std::string> toolkit_library_dirs(const ToolkitPlaces& places);

// Directories with <cuda_fp16.h> and <cub/block/block_reduce.cuh>: of the toolkit of this NVRTC library if
// that is known, else of any. Empty: none.
std::vector<std::string> toolkit_include_dirs(const ToolkitPlaces& places,
                                              const std::string& nvrtc_path = {});

// The path of nvcc, which compiles launcher code.
Result<std::string> find_nvcc(const ToolkitPlaces& places);

}  // namespace gktune
