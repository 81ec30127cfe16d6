#pragma once

// Conversions between numbers with a rounding mode in their name. To integers they saturate. A NaN becomes 0
// where a float becomes 32 bits, and else the number of which only the highest bit is set, as on a GPU.

#include "gktune/math.h"

namespace gktune::kernel {

template <class T>
struct IntegerRange {
  static constexpr bool kIsSigned = static_cast<T>(-1) < static_cast<T>(0);
  static constexpr T kMax =
      kIsSigned ? static_cast<T>((~static_cast<unsigned long long>(0)) >> (65 - 8 * sizeof(T)))
                : static_cast<T>(~static_cast<T>(0));
  static constexpr T kMin = kIsSigned ? static_cast<T>(-kMax - 1) : static_cast<T>(0);
};

// x is an integer value that was converted from a From.
template <class T, class From>
inline T saturate_to(double x) {
  using Range = IntegerRange<T>;
  if (x != x && sizeof(From) == 4 && sizeof(T) == 4) return 0;
  if (x != x) return static_cast<T>(1ull << (8 * sizeof(T) - 1));
  // kMax may round up to a power of two, which is out of range itself.
  if (x >= static_cast<double>(Range::kMax)) return Range::kMax;
  if (x <= static_cast<double>(Range::kMin)) return Range::kMin;
  return static_cast<T>(x);
}

inline double round_rn(double x) { return rint(x); }
inline double round_rz(double x) { return trunc(x); }
inline double round_ru(double x) { return ceil(x); }
inline double round_rd(double x) { return floor(x); }

// Moves a rounded float towards the exact value; `sign` is that of exact - rounded.
inline float narrow_rn(float rounded, int) { return rounded; }
inline float narrow_rz(float rounded, int sign) {
  return (rounded > 0 && sign < 0) || (rounded < 0 && sign > 0) ? nextafterf(rounded, 0.0f) : rounded;
}
inline float narrow_ru(float rounded, int sign) {
  return sign > 0 ? nextafterf(rounded, __builtin_inff()) : rounded;
}
inline float narrow_rd(float rounded, int sign) {
  return sign < 0 ? nextafterf(rounded, -__builtin_inff()) : rounded;
}

// The sign of x - rounded, both of which a long double holds exactly.
template <class T>
inline int sign_of_rest(T x, float rounded) {
  const long double rest = static_cast<long double>(x) - static_cast<long double>(rounded);
  return rest > 0 ? 1 : rest < 0 ? -1 : 0;
}

}  // namespace gktune::kernel

#define GKTUNE_TO_INTEGER(from, From, to, To, mode)                                                         \
  inline To __##from##2##to##_##mode(From x) {                                                              \
    return ::gktune::kernel::saturate_to<To, From>(::gktune::kernel::round_##mode(static_cast<double>(x))); \
  }
#define GKTUNE_TO_FLOAT(from, From, mode)                                                        \
  inline float __##from##2float_##mode(From x) {                                                 \
    const float rounded = static_cast<float>(x);                                                 \
    return ::gktune::kernel::narrow_##mode(rounded, ::gktune::kernel::sign_of_rest(x, rounded)); \
  }
#define GKTUNE_MODE(mode)                                          \
  GKTUNE_TO_INTEGER(float, float, int, int, mode)                  \
  GKTUNE_TO_INTEGER(float, float, uint, unsigned, mode)            \
  GKTUNE_TO_INTEGER(float, float, ll, long long, mode)             \
  GKTUNE_TO_INTEGER(float, float, ull, unsigned long long, mode)   \
  GKTUNE_TO_INTEGER(double, double, int, int, mode)                \
  GKTUNE_TO_INTEGER(double, double, uint, unsigned, mode)          \
  GKTUNE_TO_INTEGER(double, double, ll, long long, mode)           \
  GKTUNE_TO_INTEGER(double, double, ull, unsigned long long, mode) \
  GKTUNE_TO_FLOAT(int, int, mode)                                  \
  GKTUNE_TO_FLOAT(uint, unsigned, mode)                            \
  GKTUNE_TO_FLOAT(ll, long long, mode)                             \
  GKTUNE_TO_FLOAT(ull, unsigned long long, mode)                   \
  GKTUNE_TO_FLOAT(double, double, mode)
GKTUNE_MODE(rn)
GKTUNE_MODE(rz)
GKTUNE_MODE(ru)
GKTUNE_MODE(rd)
#undef GKTUNE_MODE
#undef GKTUNE_TO_FLOAT
#undef GKTUNE_TO_INTEGER

inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
