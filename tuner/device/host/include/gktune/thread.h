#pragma once

// The indices of a thread, and the barriers of the threads of a block.

#include "gktune/vector_types.h"

// Inlined without optimisation too: the engine tells barriers apart by the address that they are called from.
#define GKTUNE_ALWAYS_INLINE inline __attribute__((always_inline))

// The caller's place, for messages about its wait.
#define GKTUNE_SITE_PARAMETERS const char *file_ = __builtin_FILE(), int line_ = __builtin_LINE()
#define GKTUNE_SITE \
  ::gktune::kernel::Site { file_, line_ }

namespace gktune::kernel {

inline const uint3& thread_index() { return gktune_thread.self.index; }
inline const uint3& block_index() { return gktune_thread.block_index; }
inline const dim3& block_dim() { return gktune_thread.block_dim; }
inline const dim3& grid_dim() { return gktune_thread.grid_dim; }
inline unsigned thread_rank() { return gktune_thread.self.rank; }
inline unsigned lane() { return thread_rank() % 32; }

// The replacement of `extern __shared__ T name[]` in a function …
template <class T>
inline T (&dynamic_shared())[] {
  return *static_cast<T(*)[]>(gktune_thread.dynamic_shared);
}

// … and at namespace scope, where the block is not known yet.
template <class T>
struct DynamicShared {
  operator T*() const { return static_cast<T*>(gktune_thread.dynamic_shared); }
};

void inline_ptx() __attribute__((error("inline PTX cannot run on the host device")));

}  // namespace gktune::kernel

GKTUNE_ALWAYS_INLINE void __syncthreads(GKTUNE_SITE_PARAMETERS) {
  gktune_thread.services->barrier(::gktune::kernel::BarrierOp::plain, 0, GKTUNE_SITE);
}
GKTUNE_ALWAYS_INLINE int __syncthreads_count(int predicate, GKTUNE_SITE_PARAMETERS) {
  return gktune_thread.services->barrier(::gktune::kernel::BarrierOp::count, predicate != 0, GKTUNE_SITE);
}
GKTUNE_ALWAYS_INLINE int __syncthreads_and(int predicate, GKTUNE_SITE_PARAMETERS) {
  return gktune_thread.services->barrier(::gktune::kernel::BarrierOp::all, predicate != 0, GKTUNE_SITE);
}
GKTUNE_ALWAYS_INLINE int __syncthreads_or(int predicate, GKTUNE_SITE_PARAMETERS) {
  return gktune_thread.services->barrier(::gktune::kernel::BarrierOp::any, predicate != 0, GKTUNE_SITE);
}

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Launches run one after the other here.
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}

inline void __nanosleep(unsigned) { gktune_thread.services->yield(); }
inline long long clock64() { return static_cast<long long>(gktune_thread.services->clock()); }
inline unsigned long long __globaltimer() { return gktune_thread.services->clock(); }

[[noreturn]] inline void __trap(GKTUNE_SITE_PARAMETERS) {
  gktune_thread.services->abort("__trap()", GKTUNE_SITE);
}
[[noreturn]] inline void __brkpt(GKTUNE_SITE_PARAMETERS) {
  gktune_thread.services->abort("__brkpt()", GKTUNE_SITE);
}
inline void __prof_trigger(int) {}
