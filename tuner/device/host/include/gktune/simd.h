#pragma once

// Integers as two lanes of 16 bits or four of 8: __vadd2, __vcmpgtu4, …, dot products, and the minima and
// maxima of dynamic programming (DPX).

#include "gktune/vector_types.h"

namespace gktune::kernel {

template <class Lane>
inline int lane_of(unsigned x, unsigned shift) {
  return static_cast<Lane>(x >> shift);
}

template <class Lane, class Function>
inline unsigned lanes(unsigned a, unsigned b, unsigned c, Function function) {
  constexpr unsigned kBits = 8 * sizeof(Lane), kMask = (1u << kBits) - 1;
  unsigned all = 0;
  for (unsigned at = 0; at < 32; at += kBits) {
    const int value = function(lane_of<Lane>(a, at), lane_of<Lane>(b, at), lane_of<Lane>(c, at));
    all |= (static_cast<unsigned>(value) & kMask) << at;
  }
  return all;
}

template <class Lane>
inline int saturated(int x) {
  constexpr bool kIsSigned = static_cast<Lane>(-1) < static_cast<Lane>(0);
  constexpr int kMax = (1 << (8 * sizeof(Lane) - (kIsSigned ? 1 : 0))) - 1, kMin = kIsSigned ? -kMax - 1 : 0;
  return x > kMax ? kMax : x < kMin ? kMin : x;
}

inline int lesser(int x, int y) { return x < y ? x : y; }
inline int greater(int x, int y) { return x > y ? x : y; }

}  // namespace gktune::kernel

#define GKTUNE_LANES(name, Lane, parameters, b, value)                 \
  inline unsigned name parameters {                                    \
    using T = Lane;                                                    \
    return ::gktune::kernel::lanes<T>(a, b, 0, [](int x, int y, int) { \
      (void)y;                                                         \
      return static_cast<int>(value);                                  \
    });                                                                \
  }
#define GKTUNE_SIGNED(name, parameters, b, value)         \
  GKTUNE_LANES(__v##name##2, short, parameters, b, value) \
  GKTUNE_LANES(__v##name##4, signed char, parameters, b, value)
#define GKTUNE_UNSIGNED(name, parameters, b, value)                \
  GKTUNE_LANES(__v##name##2, unsigned short, parameters, b, value) \
  GKTUNE_LANES(__v##name##4, unsigned char, parameters, b, value)
#define GKTUNE_S1(name, value) GKTUNE_SIGNED(name, (unsigned a), 0, value)
#define GKTUNE_S2(name, value) GKTUNE_SIGNED(name, (unsigned a, unsigned b), b, value)
#define GKTUNE_U2(name, value) GKTUNE_UNSIGNED(name, (unsigned a, unsigned b), b, value)
GKTUNE_S1(abs, x < 0 ? -x : x)
GKTUNE_S1(absss, ::gktune::kernel::saturated<T>(x < 0 ? -x : x))
GKTUNE_S1(neg, -x)
GKTUNE_S1(negss, ::gktune::kernel::saturated<T>(-x))
GKTUNE_S2(absdiffs, x > y ? x - y : y - x)
GKTUNE_U2(absdiffu, x > y ? x - y : y - x)
GKTUNE_S2(add, x + y)
GKTUNE_S2(addss, ::gktune::kernel::saturated<T>(x + y))
GKTUNE_U2(addus, ::gktune::kernel::saturated<T>(x + y))
GKTUNE_S2(sub, x - y)
GKTUNE_S2(subss, ::gktune::kernel::saturated<T>(x - y))
GKTUNE_U2(subus, ::gktune::kernel::saturated<T>(x - y))
GKTUNE_S2(avgs, (x + y + (x + y >= 0)) >> 1)  // a half is rounded away from zero
GKTUNE_U2(avgu, (x + y + 1) >> 1)
GKTUNE_U2(haddu, (x + y) >> 1)
GKTUNE_S2(maxs, ::gktune::kernel::greater(x, y))
GKTUNE_U2(maxu, ::gktune::kernel::greater(x, y))
GKTUNE_S2(mins, ::gktune::kernel::lesser(x, y))
GKTUNE_U2(minu, ::gktune::kernel::lesser(x, y))
// A comparison that holds gives all bits of the lane (__vcmp…), or 1 (__vset…).
#define GKTUNE_COMPARE(L, name, sign) GKTUNE_##L##2(cmp##name, -(x sign y))GKTUNE_##L##2(set##name, x sign y)
GKTUNE_COMPARE(U, eq, ==)
GKTUNE_COMPARE(U, ne, !=)
GKTUNE_COMPARE(S, ges, >=)
GKTUNE_COMPARE(S, gts, >)
GKTUNE_COMPARE(S, les, <=)
GKTUNE_COMPARE(S, lts, <)
GKTUNE_COMPARE(U, geu, >=)
GKTUNE_COMPARE(U, gtu, >)
GKTUNE_COMPARE(U, leu, <=)
GKTUNE_COMPARE(U, ltu, <)
#undef GKTUNE_COMPARE
#undef GKTUNE_U2
#undef GKTUNE_S2
#undef GKTUNE_S1
#undef GKTUNE_UNSIGNED
#undef GKTUNE_SIGNED
#undef GKTUNE_LANES

// The sum of the lanes' absolute differences.
#define GKTUNE_SUM_OF_DIFFERENCES(name, Lane)                                              \
  inline unsigned name(unsigned a, unsigned b) {                                           \
    unsigned sum = 0;                                                                      \
    for (unsigned at = 0; at < 32; at += 8 * sizeof(Lane)) {                               \
      const int difference =                                                               \
          ::gktune::kernel::lane_of<Lane>(a, at) - ::gktune::kernel::lane_of<Lane>(b, at); \
      sum += static_cast<unsigned>(difference < 0 ? -difference : difference);             \
    }                                                                                      \
    return sum;                                                                            \
  }
GKTUNE_SUM_OF_DIFFERENCES(__vsads2, short)
GKTUNE_SUM_OF_DIFFERENCES(__vsads4, signed char)
GKTUNE_SUM_OF_DIFFERENCES(__vsadu2, unsigned short)
GKTUNE_SUM_OF_DIFFERENCES(__vsadu4, unsigned char)
#undef GKTUNE_SUM_OF_DIFFERENCES

// c + the products of two 16-bit numbers of a with the two low or high bytes of b.
#define GKTUNE_DP2A(name, T, Wide, Byte, first, WideVector, ByteVector, one, other)                         \
  inline T name(T a, T b, T c) {                                                                            \
    for (unsigned i = 0; i < 2; ++i) {                                                                      \
      c += static_cast<T>(static_cast<Wide>(a >> (16 * i))) * static_cast<Byte>(b >> (8 * i + first));      \
    }                                                                                                       \
    return c;                                                                                               \
  }                                                                                                         \
  inline T name(WideVector a, ByteVector b, T c) {                                                          \
    return c + static_cast<T>(a.x) * static_cast<T>(b.one) + static_cast<T>(a.y) * static_cast<T>(b.other); \
  }
GKTUNE_DP2A(__dp2a_lo, int, short, signed char, 0, short2, char4, x, y)
GKTUNE_DP2A(__dp2a_hi, int, short, signed char, 16, short2, char4, z, w)
GKTUNE_DP2A(__dp2a_lo, unsigned, unsigned short, unsigned char, 0, ushort2, uchar4, x, y)
GKTUNE_DP2A(__dp2a_hi, unsigned, unsigned short, unsigned char, 16, ushort2, uchar4, z, w)
#undef GKTUNE_DP2A
inline int __dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return c + static_cast<unsigned>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}

// DPX. The names say what is computed: __viaddmax is max(a + b, c), __vimax3 is max(a, b, c); _relu takes at
// least 0.
#define GKTUNE_DPX_SCALAR(suffix, T)                                                                  \
  inline T __viaddmax_##suffix(T a, T b, T c) { return a + b > c ? a + b : c; }                       \
  inline T __viaddmin_##suffix(T a, T b, T c) { return a + b < c ? a + b : c; }                       \
  inline T __vimax3_##suffix(T a, T b, T c) { return a > b ? (a > c ? a : c) : b > c ? b : c; }       \
  inline T __vimin3_##suffix(T a, T b, T c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }       \
  inline T __vibmax_##suffix(T a, T b, bool* is_first) { return *is_first = a >= b, a >= b ? a : b; } \
  inline T __vibmin_##suffix(T a, T b, bool* is_first) { return *is_first = a <= b, a <= b ? a : b; }
GKTUNE_DPX_SCALAR(s32, int)
GKTUNE_DPX_SCALAR(u32, unsigned)
#undef GKTUNE_DPX_SCALAR
#define GKTUNE_DPX_PAIR(name, Lane, value)                                                 \
  inline unsigned name(unsigned a, unsigned b, unsigned c) {                               \
    using T = Lane;                                                                        \
    using ::gktune::kernel::greater;                                                       \
    using ::gktune::kernel::lesser;                                                        \
    return ::gktune::kernel::lanes<T>(a, b, c, [](int x, int y, int z) { return value; }); \
  }
#define GKTUNE_DPX_PAIRS(suffix, Lane)                                          \
  GKTUNE_DPX_PAIR(__viaddmax_##suffix, Lane, greater(static_cast<T>(x + y), z)) \
  GKTUNE_DPX_PAIR(__viaddmin_##suffix, Lane, lesser(static_cast<T>(x + y), z))  \
  GKTUNE_DPX_PAIR(__vimax3_##suffix, Lane, greater(greater(x, y), z))           \
  GKTUNE_DPX_PAIR(__vimin3_##suffix, Lane, lesser(lesser(x, y), z))
GKTUNE_DPX_PAIRS(s16x2, short)
GKTUNE_DPX_PAIRS(u16x2, unsigned short)
#undef GKTUNE_DPX_PAIRS
#undef GKTUNE_DPX_PAIR
#define GKTUNE_DPX_RELU(name)                                                  \
  inline int __v##name##_s32_relu(int a, int b, int c) {                       \
    return ::gktune::kernel::greater(__v##name##_s32(a, b, c), 0);             \
  }                                                                            \
  inline unsigned __v##name##_s16x2_relu(unsigned a, unsigned b, unsigned c) { \
    return __vmaxs2(__v##name##_s16x2(a, b, c), 0);                            \
  }
GKTUNE_DPX_RELU(iaddmax)
GKTUNE_DPX_RELU(iaddmin)
GKTUNE_DPX_RELU(imax3)
GKTUNE_DPX_RELU(imin3)
#undef GKTUNE_DPX_RELU
inline int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
inline int __vimin_s32_relu(int a, int b) { return ::gktune::kernel::greater(a < b ? a : b, 0); }
inline unsigned __vimax_s16x2_relu(unsigned a, unsigned b) { return __vimax3_s16x2(a, b, 0); }
inline unsigned __vimin_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__vmins2(a, b), 0); }
#define GKTUNE_DPX_CHOICE(name, greatest, comparison)                                     \
  inline unsigned name(unsigned a, unsigned b, bool* is_high_first, bool* is_low_first) { \
    const unsigned first = comparison(a, b);                                              \
    *is_high_first = first >> 16 != 0;                                                    \
    *is_low_first = (first & 0xffff) != 0;                                                \
    return greatest(a, b);                                                                \
  }
GKTUNE_DPX_CHOICE(__vibmax_s16x2, __vmaxs2, __vsetges2)
GKTUNE_DPX_CHOICE(__vibmax_u16x2, __vmaxu2, __vsetgeu2)
GKTUNE_DPX_CHOICE(__vibmin_s16x2, __vmins2, __vsetles2)
GKTUNE_DPX_CHOICE(__vibmin_u16x2, __vminu2, __vsetleu2)
#undef GKTUNE_DPX_CHOICE
