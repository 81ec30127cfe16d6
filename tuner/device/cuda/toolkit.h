#pragma once

#include <string>
#include <vector>

namespace gktune {

// Where CUDA is looked for. A library reads no environment: whoever starts it does.
struct ToolkitPlaces {
  std::string home;  // CUDA_HOME; empty: the usual places
};

// Directories that may hold the toolkit's libraries, the likeliest first. Only those that exist.
std::vector<std::string> toolkit_library_dirs(const ToolkitPlaces& places);

// What a compiler needs to find <cuda_fp16.h> and <cub/block/block_reduce.cuh>, of the toolkit that the NVRTC
// library at this path came with where it can be told, else of any. Empty: there are none.
std::vector<std::string> toolkit_include_dirs(const ToolkitPlaces& places, const std::string& nvrtc_path);

}  // namespace gktune
