#pragma once

// CUDA's keywords. They are macros, so they come after all headers of the system.

#include "gktune/overloads.h"

#define __CUDACC__ 1

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__ static thread_local
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))

#define threadIdx (::gktune::kernel::thread_index())
#define blockIdx (::gktune::kernel::block_index())
#define blockDim (::gktune::kernel::block_dim())
#define gridDim (::gktune::kernel::grid_dim())
constexpr int warpSize = 32;

#define clock() static_cast<long>(clock64())

// The fast functions are the accurate ones here. The C library has some of these names for itself.
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __powf powf
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __tanhf tanhf
#define __sincosf sincosf

#undef assert
#ifdef NDEBUG
#define assert(...) static_cast<void>(0)
#else
#define assert(...)                                                                       \
  ((__VA_ARGS__) ? static_cast<void>(0)                                                   \
                 : ::gktune_thread.services->abort("assertion `" #__VA_ARGS__ "` failed", \
                                                   ::gktune::kernel::Site{__FILE__, __LINE__}))
#endif
