#pragma once

// cuRAND's functions for kernels: the toolkit's own header, in its branches for a host, which are plain C++.

#include <math.h>

#include <type_traits>

#include "gktune/cuda.h"
#include "nv/target"

#undef GKTUNE_TARGET_NV_IS_DEVICE
#define GKTUNE_TARGET_NV_IS_HOST ~, 1
#define __CUDA_ARCH__ 0  // defined, it keeps the header from declaring threadIdx and blockDim
#define __host__
#define __device__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define threadIdx (::gktune::kernel::thread_index())
#define blockDim (::gktune::kernel::block_dim())
#define HOST_HAVE_ERFCINVF
#define _NV_BLOCK_EXPAND GKTUNE_TARGET_BARE
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END
// The header declares functions for host code with these types.
#define cudaStream_t void*
#define libraryPropertyType int

#include GKTUNE_CURAND

#undef libraryPropertyType
#undef cudaStream_t
#undef __NV_SILENCE_DEPRECATION_END
#undef __NV_SILENCE_DEPRECATION_BEGIN
#undef _NV_BLOCK_EXPAND
#undef HOST_HAVE_ERFCINVF
#undef blockDim
#undef threadIdx
#undef __forceinline__
#undef __constant__
#undef __device__
#undef __host__
#undef __CUDA_ARCH__
#undef GKTUNE_TARGET_NV_IS_HOST
#define GKTUNE_TARGET_NV_IS_DEVICE ~, 1
