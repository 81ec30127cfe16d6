#pragma once

#include <cuda.h>

#include <string>

#include "gktune/result.h"

namespace gktune {

// clang-format off
// The driver functions in use, with the names and versions of its header.
#define GKTUNE_DRIVER_FUNCTIONS(X)                                                                     \
  X(cuInit) X(cuDriverGetVersion) X(cuGetErrorName) X(cuGetErrorString)                                \
  X(cuDeviceGet) X(cuDeviceGetCount) X(cuDeviceGetName) X(cuDeviceGetAttribute) X(cuDeviceGetPCIBusId) \
  X(cuDeviceTotalMem) X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease)                         \
  X(cuCtxSetCurrent) X(cuCtxGetCurrent) X(cuCtxPushCurrent) X(cuCtxPopCurrent) X(cuCtxGetDevice)       \
  X(cuCtxSynchronize) X(cuCtxResetPersistingL2Cache) X(cuThreadExchangeStreamCaptureMode)              \
  X(cuMemGetInfo) X(cuMemAlloc) X(cuMemFree) X(cuMemHostAlloc) X(cuMemFreeHost)                        \
  X(cuMemHostGetDevicePointer) X(cuMemGetAllocationGranularity) X(cuMemAddressReserve)                 \
  X(cuMemAddressFree) X(cuMemCreate) X(cuMemRelease) X(cuMemMap) X(cuMemUnmap) X(cuMemSetAccess)       \
  X(cuIpcGetMemHandle) X(cuIpcOpenMemHandle) X(cuIpcCloseMemHandle)                                    \
  X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) X(cuMemsetD8Async)                    \
  X(cuModuleLoadData) X(cuModuleUnload) X(cuModuleGetFunction) X(cuModuleGetGlobal)                    \
  X(cuFuncGetAttribute) X(cuFuncSetAttribute) X(cuOccupancyMaxActiveBlocksPerMultiprocessor)           \
  X(cuOccupancyMaxActiveClusters) X(cuLaunchKernelEx) X(cuTensorMapEncodeTiled) X(cuTexObjectCreate)   \
  X(cuTexObjectDestroy)                                                                                \
  X(cuStreamCreate) X(cuStreamDestroy) X(cuStreamQuery) X(cuStreamSynchronize) X(cuStreamBeginCapture) \
  X(cuStreamEndCapture) X(cuStreamIsCapturing)                                                         \
  X(cuEventCreate) X(cuEventDestroy) X(cuEventRecord) X(cuEventQuery)                                  \
  X(cuGraphDestroy) X(cuGraphInstantiateWithFlags) X(cuGraphExecDestroy) X(cuGraphUpload)              \
  X(cuGraphLaunch)
// clang-format on

// The driver, opened at run time, because not every machine has one.
struct Driver {
  static Result<Driver> open();

  // "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"
  std::string describe(CUresult code) const;

#define GKTUNE_DECLARE(function) decltype(&::function) function = nullptr;
  GKTUNE_DRIVER_FUNCTIONS(GKTUNE_DECLARE)
#undef GKTUNE_DECLARE
  // Its version differs between headers and drivers; the first version exists everywhere.
  CUresult (*elapsed_time)(float*, CUevent, CUevent) = nullptr;
  // Null before CUDA 12.4.
  CUresult (*parameter_info)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
  // Null before CUDA 12.5.
  CUresult (*wait_in_context)(CUcontext, CUevent) = nullptr;
  CUresult (*record_in_context)(CUcontext, CUevent) = nullptr;
};

}  // namespace gktune
