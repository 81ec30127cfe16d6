#pragma once

// Makes tensor maps with the driver.

#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace gktune {

// Makes a tensor map. The innermost dimension comes first; strides are in bytes and begin with the second dimension.
inline Struct<sizeof(CUtensorMap)> tensor_map(void* address, CUtensorMapDataType type,
                                              std::initializer_list<cuuint64_t> sizes,
                                              std::initializer_list<cuuint64_t> strides,
                                              std::initializer_list<cuuint32_t> box,
                                              CUtensorMapSwizzle swizzle) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(
      driver == nullptr ? nullptr : dlsym(driver, "cuTensorMapEncodeTiled"));
  const cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  CUtensorMap map;
  if (encode == nullptr ||
      encode(&map, type, static_cast<cuuint32_t>(sizes.size()), address, sizes.begin(), strides.begin(),
             box.begin(), steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
    std::printf("the driver cannot make a tensor map\n");
    std::exit(1);
  }
  return Struct<sizeof map>(&map);
}

}  // namespace gktune
