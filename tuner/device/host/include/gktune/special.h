#pragma once

// CUDA's special functions that the C library lacks: inverses of the error functions, Bessel functions.
// Computed with more digits than the result has.

#include "gktune/math.h"

namespace gktune::kernel {

constexpr long double kTwoByRootOfPi = 1.12837916709551257389615890312154517L;
constexpr long double kRootOfTwo = 1.41421356237309504880168872420969808L;

// The x > 0 with erfc(x) = y, for 0 < y < 1: an estimate and Halley's steps.
inline long double inverse_erfc_below_1(long double y) {
  const long double t = sqrtl(-2 * logl(y / 2));
  long double x = (t - (2.30753L + t * 0.27061L) / (1 + t * (0.99229L + t * 0.04481L))) / kRootOfTwo;
  for (int i = 0; i < 4; ++i) {
    const long double rest = erfcl(x) - y;
    x += rest / (kTwoByRootOfPi * expl(-x * x) - x * rest);
  }
  return x;
}

// The x with erf(x) = y, for -0.5 < y < 0.5.
inline long double inverse_erf_near_0(long double y) {
  long double x = y / kTwoByRootOfPi;
  for (int i = 0; i < 4; ++i) {
    const long double rest = (erfl(x) - y) / (kTwoByRootOfPi * expl(-x * x));
    x -= rest / (1 + x * rest);
  }
  return x;
}

inline long double inverse_erfc(long double y) {
  if (!(y >= 0 && y <= 2)) return __builtin_nanl("");
  if (y == 0 || y == 2) return y == 0 ? __builtin_infl() : -__builtin_infl();
  if (y > 0.5L && y < 1.5L) return inverse_erf_near_0(1 - y);
  return y < 1 ? inverse_erfc_below_1(y) : -inverse_erfc_below_1(2 - y);
}

inline long double inverse_erf(long double y) {
  return y > -0.5L && y < 0.5L ? inverse_erf_near_0(y) : y < 0 ? -inverse_erfc(1 + y) : inverse_erfc(1 - y);
}

// exp(x²) · erfc(x)
inline long double scaled_erfc(long double x) {
  if (!(x > 10)) return expl(x * x) * erfcl(x);
  long double sum = 1, term = 1;
  for (int k = 1; k < 20; ++k) sum += term *= -(2 * k - 1) / (2 * x * x);
  return kTwoByRootOfPi / 2 / x * sum;
}

// The modified Bessel function of order 0 or 1.
inline long double modified_bessel(int order, long double x) {
  const long double quarter = x * x / 4;
  long double term = order == 0 ? 1 : x / 2, sum = term;
  if (x != x) return x;
  if (quarter >= 1e6L) return term * __builtin_infl();
  for (int k = 1; k < 4000; ++k) {
    term *= quarter / k / (k + order);
    const long double before = sum;
    sum += term;
    if (sum == before) break;
  }
  return sum;
}

}  // namespace gktune::kernel

// name(double) and namef(float) of one number.
#define GKTUNE_SPECIAL(name, value)    \
  inline double name(double number) {  \
    const long double x = number;      \
    return static_cast<double>(value); \
  }                                    \
  inline float name##f(float number) { \
    const long double x = number;      \
    return static_cast<float>(value);  \
  }                                    \
  inline float name(float x) { return name##f(x); }
GKTUNE_SPECIAL(erfinv, ::gktune::kernel::inverse_erf(x))
GKTUNE_SPECIAL(erfcinv, ::gktune::kernel::inverse_erfc(x))
GKTUNE_SPECIAL(erfcx, ::gktune::kernel::scaled_erfc(x))
GKTUNE_SPECIAL(normcdfinv, -::gktune::kernel::kRootOfTwo* ::gktune::kernel::inverse_erfc(2 * x))
GKTUNE_SPECIAL(cyl_bessel_i0, ::gktune::kernel::modified_bessel(0, x))
GKTUNE_SPECIAL(cyl_bessel_i1, ::gktune::kernel::modified_bessel(1, x))
#undef GKTUNE_SPECIAL

#define GKTUNE_BESSEL(kind)                             \
  inline float kind##0(float x) { return kind##0f(x); } \
  inline float kind##1(float x) { return kind##1f(x); } \
  inline float kind##n(int n, float x) { return kind##nf(n, x); }
GKTUNE_BESSEL(j)
GKTUNE_BESSEL(y)
#undef GKTUNE_BESSEL
