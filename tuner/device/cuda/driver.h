#pragma once

#include <cuda.h>

#include <string>
#include <vector>

#include "tuner/core/result.h"

namespace gktune {

// The functions of NVIDIA's driver that are used, under the names and versions that its header gives them.
#define GKTUNE_DRIVER_FUNCTIONS(X)               \
  X(cuInit)                                      \
  X(cuDriverGetVersion)                          \
  X(cuGetErrorName)                              \
  X(cuGetErrorString)                            \
  X(cuDeviceGet)                                 \
  X(cuDeviceGetCount)                            \
  X(cuDeviceGetName)                             \
  X(cuDeviceGetAttribute)                        \
  X(cuDeviceGetPCIBusId)                         \
  X(cuDeviceTotalMem)                            \
  X(cuDevicePrimaryCtxRetain)                    \
  X(cuDevicePrimaryCtxRelease)                   \
  X(cuCtxSetCurrent)                             \
  X(cuMemGetInfo)                                \
  X(cuMemAlloc)                                  \
  X(cuMemFree)                                   \
  X(cuMemHostAlloc)                              \
  X(cuMemFreeHost)                               \
  X(cuMemHostGetDevicePointer)                   \
  X(cuMemcpyHtoDAsync)                           \
  X(cuMemcpyDtoHAsync)                           \
  X(cuMemcpyDtoDAsync)                           \
  X(cuMemsetD8Async)                             \
  X(cuModuleLoadData)                            \
  X(cuModuleUnload)                              \
  X(cuModuleGetFunction)                         \
  X(cuFuncGetAttribute)                          \
  X(cuFuncSetAttribute)                          \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(cuLaunchKernel)                              \
  X(cuStreamCreate)                              \
  X(cuStreamDestroy)                             \
  X(cuStreamQuery)                               \
  X(cuStreamSynchronize)                         \
  X(cuStreamBeginCapture)                        \
  X(cuStreamEndCapture)                          \
  X(cuEventCreate)                               \
  X(cuEventDestroy)                              \
  X(cuEventRecord)                               \
  X(cuGraphDestroy)                              \
  X(cuGraphInstantiateWithFlags)                 \
  X(cuGraphExecDestroy)                          \
  X(cuGraphUpload)                               \
  X(cuGraphLaunch)

// The driver, opened at run time: where there is none, all else still works.
struct Driver {
  static Result<Driver> open();

  // "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"
  std::string describe(CUresult code) const;

#define GKTUNE_DECLARE(function) decltype(&::function) function = nullptr;
  GKTUNE_DRIVER_FUNCTIONS(GKTUNE_DECLARE)
#undef GKTUNE_DECLARE
  // Headers and drivers of different years know it under different versions; the first is everywhere.
  CUresult (*elapsed_time)(float*, CUevent, CUevent) = nullptr;
  // Since CUDA 12.4: null in a driver that is older.
  CUresult (*parameter_info)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
};

}  // namespace gktune
