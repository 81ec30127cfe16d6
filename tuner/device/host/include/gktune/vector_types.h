#pragma once

// CUDA's short vectors: char1 … double4, and the functions that make them.

#include "gktune/abi.h"

using gktune::kernel::dim3;
using gktune::kernel::uint3;

#define GKTUNE_VECTORS_BUT_3(name, T, align2, align4)                   \
  struct name##1 {                                                      \
    T x;                                                                \
  };                                                                    \
  struct __attribute__((aligned(align2))) name##2 {                     \
    T x, y;                                                             \
  };                                                                    \
  struct __attribute__((aligned(align4))) name##4 {                     \
    T x, y, z, w;                                                       \
  };                                                                    \
  constexpr name##1 make_##name##1(T x) { return {x}; }                 \
  constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#define GKTUNE_VECTORS(name, T, align2, align4) \
  struct name##3 {                              \
    T x, y, z;                                  \
  };                                            \
  GKTUNE_VECTORS_BUT_3(name, T, align2, align4)

GKTUNE_VECTORS(char, signed char, 2, 4)
GKTUNE_VECTORS(uchar, unsigned char, 2, 4)
GKTUNE_VECTORS(short, short, 4, 8)
GKTUNE_VECTORS(ushort, unsigned short, 4, 8)
GKTUNE_VECTORS(int, int, 8, 16)
GKTUNE_VECTORS_BUT_3(uint, unsigned int, 8, 16)  // uint3 is the type of threadIdx
GKTUNE_VECTORS(long, long, 16, 16)
GKTUNE_VECTORS(ulong, unsigned long, 16, 16)
GKTUNE_VECTORS(longlong, long long, 16, 16)
GKTUNE_VECTORS(ulonglong, unsigned long long, 16, 16)
GKTUNE_VECTORS(float, float, 8, 16)
GKTUNE_VECTORS(double, double, 16, 16)

#undef GKTUNE_VECTORS
#undef GKTUNE_VECTORS_BUT_3
