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
#define GKTUNE_C(T, f)               \
  T fma##f(T, T, T) noexcept;        \
  T ldexp##f(T, int) noexcept;       \
  T scalbn##f(T, int) noexcept;      \
  T frexp##f(T, int*) noexcept;      \
  T modf##f(T, T*) noexcept;         \
  int ilogb##f(T) noexcept;          \
  long lrint##f(T) noexcept;         \
  long long llrint##f(T) noexcept;   \
  long lround##f(T) noexcept;        \
  long long llround##f(T) noexcept;  \
  void sincos##f(T, T*, T*) noexcept;
extern "C" {
GKTUNE_C(double, )
GKTUNE_C(float, f)
double j0(double) noexcept;
double j1(double) noexcept;
double y0(double) noexcept;
double y1(double) noexcept;
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
inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
inline double norm3d(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }
inline float norm4df(float x, float y, float z, float w) { return sqrtf(x * x + y * y + z * z + w * w); }
inline double norm4d(double x, double y, double z, double w) { return sqrt(x * x + y * y + z * z + w * w); }
inline float rnorm3df(float x, float y, float z) { return 1.0f / norm3df(x, y, z); }
inline float rnorm4df(float x, float y, float z, float w) { return 1.0f / norm4df(x, y, z, w); }
inline float fdividef(float x, float y) { return x / y; }

inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
// Rounded once: the quotient in double is exact enough.
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return sqrt(x); }
