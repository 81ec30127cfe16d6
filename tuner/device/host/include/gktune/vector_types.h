#pragma once

// CUDA's short vectors: char1 … double4, and the functions that make them.

#include "gktune/abi.h"

using gktune::kernel::dim3;
using gktune::kernel::uint3;

#define GKTUNE_VECTORS(name, T, align2, align4)                                               \
  struct name##1 {                                                                            \
    T x;                                                                                      \
  };                                                                                          \
  struct __attribute__((aligned(align2))) name##2 {                                           \
    T x, y;                                                                                   \
  };                                                                                          \
  GKTUNE_VECTOR3_##name(T) struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; }; \
  constexpr name##1 make_##name##1(T x) { return {x}; }                                       \
  constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }                               \
  constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                       \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

#define GKTUNE_VECTOR3(name, T) \
  struct name##3 {              \
    T x, y, z;                  \
  };
#define GKTUNE_VECTOR3_char(T) GKTUNE_VECTOR3(char, T)
#define GKTUNE_VECTOR3_uchar(T) GKTUNE_VECTOR3(uchar, T)
#define GKTUNE_VECTOR3_short(T) GKTUNE_VECTOR3(short, T)
#define GKTUNE_VECTOR3_ushort(T) GKTUNE_VECTOR3(ushort, T)
#define GKTUNE_VECTOR3_int(T) GKTUNE_VECTOR3(int, T)
#define GKTUNE_VECTOR3_uint(T)  // the type of threadIdx
#define GKTUNE_VECTOR3_long(T) GKTUNE_VECTOR3(long, T)
#define GKTUNE_VECTOR3_ulong(T) GKTUNE_VECTOR3(ulong, T)
#define GKTUNE_VECTOR3_longlong(T) GKTUNE_VECTOR3(longlong, T)
#define GKTUNE_VECTOR3_ulonglong(T) GKTUNE_VECTOR3(ulonglong, T)
#define GKTUNE_VECTOR3_float(T) GKTUNE_VECTOR3(float, T)
#define GKTUNE_VECTOR3_double(T) GKTUNE_VECTOR3(double, T)

GKTUNE_VECTORS(char, signed char, 2, 4)
GKTUNE_VECTORS(uchar, unsigned char, 2, 4)
GKTUNE_VECTORS(short, short, 4, 8)
GKTUNE_VECTORS(ushort, unsigned short, 4, 8)
GKTUNE_VECTORS(int, int, 8, 16)
GKTUNE_VECTORS(uint, unsigned int, 8, 16)
GKTUNE_VECTORS(long, long, 16, 16)
GKTUNE_VECTORS(ulong, unsigned long, 16, 16)
GKTUNE_VECTORS(longlong, long long, 16, 16)
GKTUNE_VECTORS(ulonglong, unsigned long long, 16, 16)
GKTUNE_VECTORS(float, float, 8, 16)
GKTUNE_VECTORS(double, double, 16, 16)

#undef GKTUNE_VECTORS
#undef GKTUNE_VECTOR3
#undef GKTUNE_VECTOR3_char
#undef GKTUNE_VECTOR3_uchar
#undef GKTUNE_VECTOR3_short
#undef GKTUNE_VECTOR3_ushort
#undef GKTUNE_VECTOR3_int
#undef GKTUNE_VECTOR3_uint
#undef GKTUNE_VECTOR3_long
#undef GKTUNE_VECTOR3_ulong
#undef GKTUNE_VECTOR3_longlong
#undef GKTUNE_VECTOR3_ulonglong
#undef GKTUNE_VECTOR3_float
#undef GKTUNE_VECTOR3_double
