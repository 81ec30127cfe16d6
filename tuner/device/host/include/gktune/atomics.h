#pragma once

// Atomic functions of every type and scope. All scopes are one on a CPU.
//
// CUDA's functions are relaxed. Here they acquire: kernels often leave out the fence behind an atomic read.
// The sanitizer asks for the one in front of an atomic write.

#include "gktune/bits.h"
#include "gktune/thread.h"

namespace gktune::kernel {

template <int kBytes>
struct Word;
template <>
struct Word<2> {
  using type = unsigned short;
};
template <>
struct Word<4> {
  using type = unsigned;
};
template <>
struct Word<8> {
  using type = unsigned long long;
};

template <class T>
GKTUNE_ALWAYS_INLINE T load(const T* p, int order) {
  using W = typename Word<sizeof(T)>::type;
  return bit_cast<T>(__atomic_load_n(reinterpret_cast<const W*>(p), order));
}
template <class T>
GKTUNE_ALWAYS_INLINE void store(T* p, T value, int order) {
  using W = typename Word<sizeof(T)>::type;
  __atomic_store_n(reinterpret_cast<W*>(p), bit_cast<W>(value), order);
}

// The memory order of a failed compare-and-swap, which only reads.
GKTUNE_ALWAYS_INLINE int order_of_failure(int order) {
  return order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE : order == __ATOMIC_RELEASE ? __ATOMIC_RELAXED : order;
}

// Replaces *p by next(*p) in one step and gives the old value. Compares bits,
// so that a NaN ends the loop too.
template <class T, class Next>
GKTUNE_ALWAYS_INLINE T update(T* p, Next next, int order = __ATOMIC_ACQUIRE) {
  using W = typename Word<sizeof(T)>::type;
  W* word = reinterpret_cast<W*>(p);
  W seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    const T old = bit_cast<T>(seen);
    if (__atomic_compare_exchange_n(word, &seen, bit_cast<W>(next(old)), false, order,
                                    order_of_failure(order)))
      return old;
  }
}

// A thread whose exchange fails often waits for another one. Let other threads run.
inline void note_failed_exchange() {
  if (++gktune_thread.failed_exchanges % 16 == 0) gktune_thread.services->yield();
}

template <class T>
GKTUNE_ALWAYS_INLINE T compare_exchange(T* p, T expected, T wanted, int order = __ATOMIC_ACQUIRE) {
  using W = typename Word<sizeof(T)>::type;
  W seen = bit_cast<W>(expected);
  if (!__atomic_compare_exchange_n(reinterpret_cast<W*>(p), &seen, bit_cast<W>(wanted), false, order,
                                   order_of_failure(order))) {
    note_failed_exchange();
  }
  return bit_cast<T>(seen);
}

template <class T>
GKTUNE_ALWAYS_INLINE T exchange(T* p, T value, int order = __ATOMIC_ACQUIRE) {
  using W = typename Word<sizeof(T)>::type;
  const W fresh = bit_cast<W>(value);
  const W seen = __atomic_exchange_n(reinterpret_cast<W*>(p), fresh, order);
  // A loop takes a lock by exchanging values until the old value differs from the new one.
  if (seen == fresh) note_failed_exchange();
  return bit_cast<T>(seen);
}

}  // namespace gktune::kernel

// name, name_block and name_system, for one type. The types are CUDA's, so that code that compiles here
// compiles there too.
#define GKTUNE_SCOPES(name, T, ...)                                                                    \
  GKTUNE_ALWAYS_INLINE T name(T* p, T v){__VA_ARGS__} GKTUNE_ALWAYS_INLINE T name##_block(T* p, T v) { \
    return name(p, v);                                                                                 \
  }                                                                                                    \
  GKTUNE_ALWAYS_INLINE T name##_system(T* p, T v) { return name(p, v); }
#define GKTUNE_FETCH(name, T, op) GKTUNE_SCOPES(name, T, return __atomic_fetch_##op(p, v, __ATOMIC_ACQUIRE);)
#define GKTUNE_UPDATE(name, T, expression) \
  GKTUNE_SCOPES(name, T, return ::gktune::kernel::update(p, [v](T old) -> T { return expression; });)
#define GKTUNE_EXCHANGE(name, T, unused) GKTUNE_SCOPES(name, T, return ::gktune::kernel::exchange(p, v);)
#define GKTUNE_32_BITS(X, name, what) X(name, int, what) X(name, unsigned, what)
#define GKTUNE_ALL_INTEGERS(X, name, what) \
  GKTUNE_32_BITS(X, name, what) X(name, long long, what) X(name, unsigned long long, what)

GKTUNE_32_BITS(GKTUNE_FETCH, atomicAdd, add)
GKTUNE_FETCH(atomicAdd, unsigned long long, add)
GKTUNE_UPDATE(atomicAdd, float, old + v)
GKTUNE_UPDATE(atomicAdd, double, old + v)
GKTUNE_32_BITS(GKTUNE_FETCH, atomicSub, sub)
GKTUNE_ALL_INTEGERS(GKTUNE_FETCH, atomicAnd, and)
GKTUNE_ALL_INTEGERS(GKTUNE_FETCH, atomicOr, or)
GKTUNE_ALL_INTEGERS(GKTUNE_FETCH, atomicXor, xor)
GKTUNE_ALL_INTEGERS(GKTUNE_UPDATE, atomicMin, old < v ? old : v)
GKTUNE_ALL_INTEGERS(GKTUNE_UPDATE, atomicMax, old > v ? old : v)
GKTUNE_UPDATE(atomicInc, unsigned, old >= v ? 0 : old + 1)
GKTUNE_UPDATE(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)
GKTUNE_32_BITS(GKTUNE_EXCHANGE, atomicExch, )
GKTUNE_EXCHANGE(atomicExch, unsigned long long, )
GKTUNE_EXCHANGE(atomicExch, float, )

// Each component is added by itself. The values read may never have existed together.
GKTUNE_SCOPES(atomicAdd, float2, return float2{atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)};)
GKTUNE_SCOPES(atomicAdd, float4,
              return float4{atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z),
                            atomicAdd(&p->w, v.w)};)

#undef GKTUNE_ALL_INTEGERS
#undef GKTUNE_32_BITS
#undef GKTUNE_EXCHANGE
#undef GKTUNE_UPDATE
#undef GKTUNE_FETCH
#undef GKTUNE_SCOPES

#define GKTUNE_CAS(T)                                                                                 \
  GKTUNE_ALWAYS_INLINE T atomicCAS(T* p, T expected, T v) {                                           \
    return ::gktune::kernel::compare_exchange(p, expected, v);                                        \
  }                                                                                                   \
  GKTUNE_ALWAYS_INLINE T atomicCAS_block(T* p, T expected, T v) { return atomicCAS(p, expected, v); } \
  GKTUNE_ALWAYS_INLINE T atomicCAS_system(T* p, T expected, T v) { return atomicCAS(p, expected, v); }
GKTUNE_CAS(unsigned short)
GKTUNE_CAS(int)
GKTUNE_CAS(unsigned)
GKTUNE_CAS(unsigned long long)
#undef GKTUNE_CAS

namespace gktune::kernel {
template <unsigned long kBytes>
struct Wide;
template <>
struct Wide<16> {
  using type = void;
};
}  // namespace gktune::kernel

#define GKTUNE_REFUSED(...)                                                    \
  template <class T, class = typename ::gktune::kernel::Wide<sizeof(T)>::type> \
  T __VA_ARGS__ __attribute__((error("128-bit atomic operations cannot run on the host device")));
GKTUNE_REFUSED(atomicExch(T*, T))
GKTUNE_REFUSED(atomicExch_block(T*, T))
GKTUNE_REFUSED(atomicExch_system(T*, T))
GKTUNE_REFUSED(atomicCAS(T*, T, T))
GKTUNE_REFUSED(atomicCAS_block(T*, T, T))
GKTUNE_REFUSED(atomicCAS_system(T*, T, T))
#undef GKTUNE_REFUSED
