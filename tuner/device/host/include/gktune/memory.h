#pragma once

// Loads and stores with cache hints: on a CPU they are plain loads and stores.

#include "gktune/thread.h"

#define GKTUNE_LOAD(name)                   \
  template <class T>                        \
  GKTUNE_ALWAYS_INLINE T name(const T* p) { \
    return *p;                              \
  }
GKTUNE_LOAD(__ldg)
GKTUNE_LOAD(__ldca)
GKTUNE_LOAD(__ldcg)
GKTUNE_LOAD(__ldcs)
GKTUNE_LOAD(__ldlu)
GKTUNE_LOAD(__ldcv)
#undef GKTUNE_LOAD

namespace gktune::kernel {
template <class T>
struct Identity {
  using type = T;
};
}  // namespace gktune::kernel

#define GKTUNE_STORE(name)                                                               \
  template <class T>                                                                     \
  GKTUNE_ALWAYS_INLINE void name(T* p, typename ::gktune::kernel::Identity<T>::type v) { \
    *p = v;                                                                              \
  }
GKTUNE_STORE(__stwb)
GKTUNE_STORE(__stcg)
GKTUNE_STORE(__stcs)
GKTUNE_STORE(__stwt)
#undef GKTUNE_STORE

inline unsigned __isGlobal(const void* p) { return p != nullptr; }
inline __SIZE_TYPE__ __cvta_generic_to_shared(const void* p) { return reinterpret_cast<__SIZE_TYPE__>(p); }
inline __SIZE_TYPE__ __cvta_generic_to_global(const void* p) { return reinterpret_cast<__SIZE_TYPE__>(p); }
