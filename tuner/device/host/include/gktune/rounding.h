#pragma once

// Arithmetic with a rounding mode in its name. It is never fused with other arithmetic.

#include <fenv.h>

#include "gktune/math.h"

namespace gktune::kernel {

// Hides from the compiler where a value comes from.
template <class T>
inline T opaque(T x) {
#if defined(__aarch64__)
  asm("" : "+w"(x));
#else
  asm("" : "+x"(x));
#endif
  return x;
}

template <int kMode, class T, class Function>
inline T rounded(T a, T b, T c, Function function) {
  volatile T x = a, y = b, z = c;  // read and written between the calls
  const int before = fegetround();
  fesetround(kMode);
  volatile T result = function(x, y, z);
  fesetround(before);
  return result;
}

}  // namespace gktune::kernel

#define GKTUNE_ROUNDED(name, kMode, T, parameters, b, c, value)                  \
  inline T name parameters {                                                     \
    return ::gktune::kernel::rounded<kMode, T>(a, b, c, [](T x, T y, T z) -> T { \
      (void)y, (void)z;                                                          \
      return value;                                                              \
    });                                                                          \
  }
#define GKTUNE_NEAREST(name, T, parameters, b, c, value)                                   \
  inline T name parameters {                                                               \
    const T x = ::gktune::kernel::opaque<T>(a), y = ::gktune::kernel::opaque<T>(b), z = c; \
    (void)y, (void)z;                                                                      \
    return ::gktune::kernel::opaque<T>(value);                                             \
  }
#define GKTUNE_ARITHMETIC(X, p, T, f, fma_name) \
  X(p##add, T, (T a, T b), b, 0, x + y)         \
  X(p##sub, T, (T a, T b), b, 0, x - y)         \
  X(p##mul, T, (T a, T b), b, 0, x* y)          \
  X(p##div, T, (T a, T b), b, 0, x / y)         \
  X(p##rcp, T, (T a), 0, 0, 1 / x)              \
  X(p##sqrt, T, (T a), 0, 0, sqrt##f(x))        \
  X(fma_name, T, (T a, T b, T c), b, c, fma##f(x, y, z))
#define GKTUNE_RN(name, T, ...) GKTUNE_NEAREST(__##name##_rn, T, __VA_ARGS__)
#define GKTUNE_RD(name, T, ...) GKTUNE_ROUNDED(__##name##_rd, FE_DOWNWARD, T, __VA_ARGS__)
#define GKTUNE_RU(name, T, ...) GKTUNE_ROUNDED(__##name##_ru, FE_UPWARD, T, __VA_ARGS__)
#define GKTUNE_RZ(name, T, ...) GKTUNE_ROUNDED(__##name##_rz, FE_TOWARDZERO, T, __VA_ARGS__)
#define GKTUNE_MODE(X) GKTUNE_ARITHMETIC(X, f, float, f, fmaf) GKTUNE_ARITHMETIC(X, d, double, , fma)
GKTUNE_MODE(GKTUNE_RN)
GKTUNE_MODE(GKTUNE_RD)
GKTUNE_MODE(GKTUNE_RU)
GKTUNE_MODE(GKTUNE_RZ)
#undef GKTUNE_MODE
#undef GKTUNE_RN
#undef GKTUNE_RD
#undef GKTUNE_RU
#undef GKTUNE_RZ
#undef GKTUNE_ARITHMETIC
#undef GKTUNE_NEAREST
// Rounded once: the quotient in double is exact enough.
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }

// Conversions that are exact but for 64-bit integers.
#define GKTUNE_TO_DOUBLE(name, From, mode, kMode)                                 \
  inline double __##name##2double_##mode(From number) {                           \
    volatile From x = number;                                                     \
    return ::gktune::kernel::rounded<kMode, double>(                              \
        0, 0, 0, [&](double, double, double) { return static_cast<double>(x); }); \
  }
#define GKTUNE_TO_DOUBLES(mode, kMode)         \
  GKTUNE_TO_DOUBLE(ll, long long, mode, kMode) \
  GKTUNE_TO_DOUBLE(ull, unsigned long long, mode, kMode)
GKTUNE_TO_DOUBLES(rn, FE_TONEAREST)
GKTUNE_TO_DOUBLES(rd, FE_DOWNWARD)
GKTUNE_TO_DOUBLES(ru, FE_UPWARD)
GKTUNE_TO_DOUBLES(rz, FE_TOWARDZERO)
#undef GKTUNE_TO_DOUBLES
#undef GKTUNE_TO_DOUBLE
#undef GKTUNE_ROUNDED
