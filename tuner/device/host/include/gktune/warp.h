#pragma once

// Operations of the lanes of a warp.

#include "gktune/thread.h"

namespace gktune::kernel {

template <class T>
inline unsigned long long to_bits(T value) {
  static_assert(sizeof(T) <= 8, "a warp exchanges values of at most 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
inline T from_bits(unsigned long long bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

inline unsigned long long warp(WarpOp op, unsigned mask, unsigned long long value, unsigned argument,
                               Site site) {
  return gktune_thread.services->warp(op, mask, value, argument, site);
}

template <class T>
inline T take_from(unsigned mask, T value, unsigned source, Site site) {
  return from_bits<T>(warp(WarpOp::shuffle, mask, to_bits(value), source, site));
}

// The first lane of the segment of `width` lanes that this lane is in.
inline unsigned segment(int width) { return lane() & ~(static_cast<unsigned>(width) - 1); }

}  // namespace gktune::kernel

template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, GKTUNE_SITE_PARAMETERS) {
  const unsigned within = static_cast<unsigned>(source) & (static_cast<unsigned>(width) - 1);
  return ::gktune::kernel::take_from(mask, value, ::gktune::kernel::segment(width) + within, GKTUNE_SITE);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, GKTUNE_SITE_PARAMETERS) {
  const unsigned lane = ::gktune::kernel::lane();
  const bool is_inside = lane - ::gktune::kernel::segment(width) >= delta;
  return ::gktune::kernel::take_from(mask, value, is_inside ? lane - delta : lane, GKTUNE_SITE);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, GKTUNE_SITE_PARAMETERS) {
  const unsigned lane = ::gktune::kernel::lane();
  const bool is_inside = lane - ::gktune::kernel::segment(width) + delta < static_cast<unsigned>(width);
  return ::gktune::kernel::take_from(mask, value, is_inside ? lane + delta : lane, GKTUNE_SITE);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, GKTUNE_SITE_PARAMETERS) {
  const unsigned lane = ::gktune::kernel::lane();
  const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
  // A lane may read from an earlier segment, not from a later one.
  const bool is_inside = source < ::gktune::kernel::segment(width) + static_cast<unsigned>(width);
  return ::gktune::kernel::take_from(mask, value, is_inside ? source : lane, GKTUNE_SITE);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, GKTUNE_SITE_PARAMETERS) {
  return static_cast<unsigned>(
      ::gktune::kernel::warp(::gktune::kernel::WarpOp::ballot, mask, predicate != 0, 0, GKTUNE_SITE));
}
inline int __any_sync(unsigned mask, int predicate, GKTUNE_SITE_PARAMETERS) {
  return __ballot_sync(mask, predicate, file_, line_) != 0;
}
inline int __all_sync(unsigned mask, int predicate, GKTUNE_SITE_PARAMETERS) {
  return __ballot_sync(mask, !predicate, file_, line_) == 0;
}
inline unsigned __activemask(GKTUNE_SITE_PARAMETERS) {
  return static_cast<unsigned>(
      ::gktune::kernel::warp(::gktune::kernel::WarpOp::converge, ~0u, 0, 0, GKTUNE_SITE));
}
inline void __syncwarp(unsigned mask = ~0u, GKTUNE_SITE_PARAMETERS) {
  ::gktune::kernel::warp(::gktune::kernel::WarpOp::sync, mask, 0, 0, GKTUNE_SITE);
}

template <class T>
inline unsigned __match_any_sync(unsigned mask, T value, GKTUNE_SITE_PARAMETERS) {
  return static_cast<unsigned>(::gktune::kernel::warp(::gktune::kernel::WarpOp::match_any, mask,
                                                      ::gktune::kernel::to_bits(value), 0, GKTUNE_SITE));
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* is_same, GKTUNE_SITE_PARAMETERS) {
  const auto same = static_cast<unsigned>(::gktune::kernel::warp(
      ::gktune::kernel::WarpOp::match_all, mask, ::gktune::kernel::to_bits(value), 0, GKTUNE_SITE));
  *is_same = same != 0;
  return same;
}

// The value is widened with its sign, if its type has one.
#define GKTUNE_REDUCE(name, T, op)                                                                           \
  inline T __reduce_##name##_sync(unsigned mask, T value, GKTUNE_SITE_PARAMETERS) {                          \
    const auto wide = static_cast<unsigned long long>(static_cast<long long>(value));                        \
    return static_cast<T>(::gktune::kernel::warp(::gktune::kernel::WarpOp::op, mask, wide, 0, GKTUNE_SITE)); \
  }
GKTUNE_REDUCE(add, unsigned, add)
GKTUNE_REDUCE(add, int, add)
GKTUNE_REDUCE(min, unsigned, min_unsigned)
GKTUNE_REDUCE(min, int, min_signed)
GKTUNE_REDUCE(max, unsigned, max_unsigned)
GKTUNE_REDUCE(max, int, max_signed)
GKTUNE_REDUCE(and, unsigned, bit_and)
GKTUNE_REDUCE(or, unsigned, bit_or)
GKTUNE_REDUCE(xor, unsigned, bit_xor)
#undef GKTUNE_REDUCE
