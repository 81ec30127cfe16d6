#pragma once

// min, max, and the mathematics for float and integers under the names that C has for double. Comes after the
// system's headers: where <math.h> or <stdlib.h> of C++ brought their own, these stay away.

#include "gktune/math.h"

namespace gktune::kernel {
template <class T>
struct AsDouble {};
#define GKTUNE_AS_DOUBLE(T) \
  template <>               \
  struct AsDouble<T> {      \
    using type = double;    \
  };
GKTUNE_AS_DOUBLE(int)
GKTUNE_AS_DOUBLE(unsigned)
GKTUNE_AS_DOUBLE(long)
GKTUNE_AS_DOUBLE(unsigned long)
GKTUNE_AS_DOUBLE(long long)
GKTUNE_AS_DOUBLE(unsigned long long)
#undef GKTUNE_AS_DOUBLE
}  // namespace gktune::kernel

#ifndef _GLIBCXX_MATH_H
#define GKTUNE_OVERLOAD1(name)                                    \
  inline float name(float x) { return name##f(x); }               \
  template <class T>                                              \
  inline typename ::gktune::kernel::AsDouble<T>::type name(T x) { \
    return name(static_cast<double>(x));                          \
  }
#define GKTUNE_OVERLOAD2(name)                                                      \
  inline float name(float x, float y) { return name##f(x, y); }                     \
  inline double name(double x, float y) { return name(x, static_cast<double>(y)); } \
  inline double name(float x, double y) { return name(static_cast<double>(x), y); } \
  template <class T>                                                                \
  inline typename ::gktune::kernel::AsDouble<T>::type name(double x, T y) {         \
    return name(x, static_cast<double>(y));                                         \
  }                                                                                 \
  template <class T>                                                                \
  inline typename ::gktune::kernel::AsDouble<T>::type name(T x, double y) {         \
    return name(static_cast<double>(x), y);                                         \
  }                                                                                 \
  template <class T>                                                                \
  inline typename ::gktune::kernel::AsDouble<T>::type name(T x, T y) {              \
    return name(static_cast<double>(x), static_cast<double>(y));                    \
  }
GKTUNE_FUNCTIONS_OF_ONE(GKTUNE_OVERLOAD1)
GKTUNE_FUNCTIONS_OF_TWO(GKTUNE_OVERLOAD2)
#undef GKTUNE_OVERLOAD1
#undef GKTUNE_OVERLOAD2
inline float pow(float x, int y) { return powf(x, static_cast<float>(y)); }
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
inline float ldexp(float x, int e) { return ldexpf(x, e); }
inline float scalbn(float x, int e) { return scalbnf(x, e); }
inline float frexp(float x, int* e) { return frexpf(x, e); }
inline float modf(float x, float* whole) { return modff(x, whole); }
inline int ilogb(float x) { return ilogbf(x); }
inline long lrint(float x) { return lrintf(x); }
inline long long llrint(float x) { return llrintf(x); }
inline long lround(float x) { return lroundf(x); }
inline long long llround(float x) { return llroundf(x); }
inline bool isnan(float x) { return __builtin_isnan(x); }
inline bool isnan(double x) { return __builtin_isnan(x); }
inline bool isinf(float x) { return __builtin_isinf(x); }
inline bool isinf(double x) { return __builtin_isinf(x); }
inline bool isfinite(float x) { return __builtin_isfinite(x); }
inline bool isfinite(double x) { return __builtin_isfinite(x); }
inline bool signbit(float x) { return __builtin_signbit(x); }
inline bool signbit(double x) { return __builtin_signbit(x); }
#ifndef _GLIBCXX_STDLIB_H
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }
inline long abs(long x) { return labs(x); }
inline long long abs(long long x) { return llabs(x); }
#endif
#endif
#undef GKTUNE_FUNCTIONS_OF_ONE
#undef GKTUNE_FUNCTIONS_OF_TWO
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrt(float x) { return rcbrtf(x); }
inline float exp10(float x) { return exp10f(x); }
inline float sinpi(float x) { return sinpif(x); }
inline float cospi(float x) { return cospif(x); }
inline float normcdf(float x) { return normcdff(x); }
inline void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
inline void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }

// CUDA's own rules for mixed arguments: the wider one wins, then the unsigned one.
#define GKTUNE_MIN_MAX(R, A, B)                                                           \
  inline R min(A a, B b) {                                                                \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }                                                                                       \
  inline R max(A a, B b) {                                                                \
    return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }
#define GKTUNE_MIN_MAX_BOTH(R, A, B) GKTUNE_MIN_MAX(R, A, B) GKTUNE_MIN_MAX(R, B, A)
GKTUNE_MIN_MAX(int, int, int)
GKTUNE_MIN_MAX(unsigned, unsigned, unsigned)
GKTUNE_MIN_MAX(long, long, long)
GKTUNE_MIN_MAX(unsigned long, unsigned long, unsigned long)
GKTUNE_MIN_MAX(long long, long long, long long)
GKTUNE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
GKTUNE_MIN_MAX_BOTH(unsigned, unsigned, int)
GKTUNE_MIN_MAX_BOTH(unsigned long, unsigned long, long)
GKTUNE_MIN_MAX_BOTH(unsigned long long, unsigned long long, long long)
#undef GKTUNE_MIN_MAX_BOTH
#undef GKTUNE_MIN_MAX
// A number wins over a NaN.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return __builtin_fmin(a, b); }
inline double max(double a, double b) { return __builtin_fmax(a, b); }
inline double min(float a, double b) { return __builtin_fmin(a, b); }
inline double max(float a, double b) { return __builtin_fmax(a, b); }
inline double min(double a, float b) { return __builtin_fmin(a, b); }
inline double max(double a, float b) { return __builtin_fmax(a, b); }
inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
inline long long llmin(long long a, long long b) { return a < b ? a : b; }
inline long long llmax(long long a, long long b) { return a > b ? a : b; }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
