#pragma once

// CUDA's mathematics in the global namespace. The C library's functions are declared rather than included:
// <cmath> would be a third of the time that a kernel takes to compile.

#include "gktune/bits.h"

// The functions of one and of two numbers that C and CUDA share. overloads.h has them for other types too.
#define GKTUNE_FUNCTIONS_OF_ONE(X)                                                 \
  X(sqrt) X(cbrt) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(logb) \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh)    \
  X(acosh) X(atanh) X(erf) X(erfc) X(tgamma) X(lgamma) X(fabs) X(floor) X(ceil)    \
  X(trunc) X(round) X(rint) X(nearbyint)
#define GKTUNE_FUNCTIONS_OF_TWO(X)                                           \
  X(atan2) X(fmod) X(remainder) X(hypot) X(fdim) X(fmin) X(fmax) X(copysign) \
  X(nextafter) X(pow)
#define GKTUNE_C1(name)                    \
  extern "C" double name(double) noexcept; \
  extern "C" float name##f(float) noexcept;
#define GKTUNE_C2(name)                            \
  extern "C" double name(double, double) noexcept; \
  extern "C" float name##f(float, float) noexcept;
GKTUNE_FUNCTIONS_OF_ONE(GKTUNE_C1)
GKTUNE_C1(exp10)
GKTUNE_FUNCTIONS_OF_TWO(GKTUNE_C2)
#undef GKTUNE_C1
#undef GKTUNE_C2
#define GKTUNE_C(T, f)              \
  T fma##f(T, T, T) noexcept;       \
  T ldexp##f(T, int) noexcept;      \
  T scalbn##f(T, int) noexcept;     \
  T frexp##f(T, int*) noexcept;     \
  T modf##f(T, T*) noexcept;        \
  int ilogb##f(T) noexcept;         \
  long lrint##f(T) noexcept;        \
  long long llrint##f(T) noexcept;  \
  long lround##f(T) noexcept;       \
  long long llround##f(T) noexcept; \
  T j0##f(T) noexcept;              \
  T j1##f(T) noexcept;              \
  T jn##f(int, T) noexcept;         \
  T y0##f(T) noexcept;              \
  T y1##f(T) noexcept;              \
  T yn##f(int, T) noexcept;         \
  T scalbln##f(T, long) noexcept;   \
  T remquo##f(T, T, int*) noexcept; \
  T nan##f(const char*) noexcept;   \
  void sincos##f(T, T*, T*) noexcept;
extern "C" {
GKTUNE_C(double, )
GKTUNE_C(float, f)
long double erfl(long double) noexcept;
long double erfcl(long double) noexcept;
long double expl(long double) noexcept;
long double logl(long double) noexcept;
long double sqrtl(long double) noexcept;
int abs(int) noexcept;
long labs(long) noexcept;
long long llabs(long long) noexcept;
}
#undef GKTUNE_C

// Functions that the C library lacks.
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
inline double rhypot(double x, double y) { return 1.0 / hypot(x, y); }

namespace gktune::kernel {
constexpr double kPi = 3.14159265358979323846;
// sin(πx) and cos(πx) with the argument reduced exactly.
inline double sine_of_half_turns(double x) {
  const double r = remainder(x, 2.0);
  if (r == trunc(r)) return copysign(0.0, x);
  return sin(kPi * r);
}
inline double cosine_of_half_turns(double x) {
  const double r = fabs(remainder(x, 2.0));
  return r == 0.5 ? 0.0 : cos(kPi * r);
}
}  // namespace gktune::kernel

inline double sinpi(double x) { return ::gktune::kernel::sine_of_half_turns(x); }
inline float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
inline double cospi(double x) { return ::gktune::kernel::cosine_of_half_turns(x); }
inline float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
inline void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
inline float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
#define GKTUNE_NORMS(T, f, Wide, root)                                               \
  inline T norm##f(int dimension, const T* x) {                                      \
    Wide sum = 0;                                                                    \
    for (int i = 0; i < dimension; ++i) sum += static_cast<Wide>(x[i]) * x[i];       \
    return static_cast<T>(root(sum));                                                \
  }                                                                                  \
  inline T rnorm##f(int dimension, const T* x) { return 1 / norm##f(dimension, x); } \
  inline T norm3d##f(T x, T y, T z) {                                                \
    const T all[] = {x, y, z};                                                       \
    return norm##f(3, all);                                                          \
  }                                                                                  \
  inline T norm4d##f(T x, T y, T z, T w) {                                           \
    const T all[] = {x, y, z, w};                                                    \
    return norm##f(4, all);                                                          \
  }                                                                                  \
  inline T rnorm3d##f(T x, T y, T z) { return 1 / norm3d##f(x, y, z); }              \
  inline T rnorm4d##f(T x, T y, T z, T w) { return 1 / norm4d##f(x, y, z, w); }
GKTUNE_NORMS(float, f, double, sqrt)
GKTUNE_NORMS(double, , long double, sqrtl)
#undef GKTUNE_NORMS

inline float fdividef(float x, float y) { return x / y; }

inline float fdivide(float x, float y) { return x / y; }
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
