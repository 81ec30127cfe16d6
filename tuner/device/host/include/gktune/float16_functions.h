#pragma once

// The functions that half and bfloat16 share by name.

#include "gktune/atomics.h"
#include "gktune/float16.h"

#define GKTUNE_F16 ::gktune::kernel::Float16<F>
#define GKTUNE_F16X2 ::gktune::kernel::Float16x2<F>
#define GKTUNE_UNARY(name, pair, expression) \
  template <class F>                         \
  inline GKTUNE_F16 name(GKTUNE_F16 a) {     \
    return expression;                       \
  }                                          \
  template <class F>                         \
  inline GKTUNE_F16X2 pair(GKTUNE_F16X2 a) { \
    return {name(a.x), name(a.y)};           \
  }
#define GKTUNE_BINARY(name, pair, expression)                \
  template <class F>                                         \
  inline GKTUNE_F16 name(GKTUNE_F16 a, GKTUNE_F16 b) {       \
    return expression;                                       \
  }                                                          \
  template <class F>                                         \
  inline GKTUNE_F16X2 pair(GKTUNE_F16X2 a, GKTUNE_F16X2 b) { \
    return {name(a.x, b.x), name(a.y, b.y)};                 \
  }
#define GKTUNE_COMPARE(name, op)                                                         \
  template <class F>                                                                     \
  inline bool __h##name(GKTUNE_F16 a, GKTUNE_F16 b) {                                    \
    return a op b;                                                                       \
  }                                                                                      \
  template <class F>                                                                     \
  inline bool __h##name##u(GKTUNE_F16 a, GKTUNE_F16 b) {                                 \
    return __hisnan(a) || __hisnan(b) || a op b;                                         \
  }                                                                                      \
  template <class F>                                                                     \
  inline GKTUNE_F16X2 __h##name##2(GKTUNE_F16X2 a, GKTUNE_F16X2 b) {                     \
    return {GKTUNE_F16(a.x op b.x ? 1.0f : 0.0f), GKTUNE_F16(a.y op b.y ? 1.0f : 0.0f)}; \
  }                                                                                      \
  template <class F>                                                                     \
  inline bool __hb##name##2(GKTUNE_F16X2 a, GKTUNE_F16X2 b) {                            \
    return a.x op b.x && a.y op b.y;                                                     \
  }

template <class F>
inline bool __hisnan(GKTUNE_F16 a) {
  return (a.bits & 0x7fffu) > F::kInfinity;
}
template <class F>
inline int __hisinf(GKTUNE_F16 a) {
  return (a.bits & 0x7fffu) != F::kInfinity ? 0 : a.bits & 0x8000u ? -1 : 1;
}
template <class F>
inline GKTUNE_F16X2 __hisnan2(GKTUNE_F16X2 a) {
  return {GKTUNE_F16(__hisnan(a.x) ? 1.0f : 0.0f), GKTUNE_F16(__hisnan(a.y) ? 1.0f : 0.0f)};
}

GKTUNE_BINARY(__hadd, __hadd2, a + b)
GKTUNE_BINARY(__hsub, __hsub2, a - b)
GKTUNE_BINARY(__hmul, __hmul2, a* b)
GKTUNE_BINARY(__hdiv, __h2div, a / b)
GKTUNE_BINARY(__hadd_rn, __hadd2_rn, a + b)
GKTUNE_BINARY(__hsub_rn, __hsub2_rn, a - b)
GKTUNE_BINARY(__hmul_rn, __hmul2_rn, a* b)
GKTUNE_BINARY(__hadd_sat, __hadd2_sat, GKTUNE_F16(__saturatef(a + b)))
GKTUNE_BINARY(__hsub_sat, __hsub2_sat, GKTUNE_F16(__saturatef(a - b)))
GKTUNE_BINARY(__hmul_sat, __hmul2_sat, GKTUNE_F16(__saturatef(a* b)))
GKTUNE_BINARY(__hmin, __hmin2, GKTUNE_F16(fminf(a, b)))
GKTUNE_BINARY(__hmax, __hmax2, GKTUNE_F16(fmaxf(a, b)))
GKTUNE_BINARY(__hmin_nan, __hmin2_nan, __hisnan(a) ? a : __hisnan(b) ? b : GKTUNE_F16(fminf(a, b)))
GKTUNE_BINARY(__hmax_nan, __hmax2_nan, __hisnan(a) ? a : __hisnan(b) ? b : GKTUNE_F16(fmaxf(a, b)))
GKTUNE_UNARY(__hneg, __hneg2, -a)
GKTUNE_UNARY(__habs, __habs2,
             GKTUNE_F16(::gktune::kernel::RawBits(), static_cast<unsigned short>(a.bits & 0x7fff)))
GKTUNE_UNARY(hsqrt, h2sqrt, GKTUNE_F16(sqrtf(a)))
GKTUNE_UNARY(hrsqrt, h2rsqrt, GKTUNE_F16(rsqrt(static_cast<double>(a))))
GKTUNE_UNARY(hrcp, h2rcp, GKTUNE_F16(1.0f / float(a)))
GKTUNE_UNARY(hexp, h2exp, GKTUNE_F16(expf(a)))
GKTUNE_UNARY(hexp2, h2exp2, GKTUNE_F16(exp2f(a)))
GKTUNE_UNARY(hexp10, h2exp10, GKTUNE_F16(exp10f(a)))
GKTUNE_UNARY(hlog, h2log, GKTUNE_F16(logf(a)))
GKTUNE_UNARY(hlog2, h2log2, GKTUNE_F16(log2f(a)))
GKTUNE_UNARY(hlog10, h2log10, GKTUNE_F16(log10f(a)))
GKTUNE_UNARY(hsin, h2sin, GKTUNE_F16(sinf(a)))
GKTUNE_UNARY(hcos, h2cos, GKTUNE_F16(cosf(a)))
GKTUNE_UNARY(htanh, h2tanh, GKTUNE_F16(tanhf(a)))
GKTUNE_UNARY(hceil, h2ceil, GKTUNE_F16(ceilf(a)))
GKTUNE_UNARY(hfloor, h2floor, GKTUNE_F16(floorf(a)))
GKTUNE_UNARY(htrunc, h2trunc, GKTUNE_F16(truncf(a)))
GKTUNE_UNARY(hrint, h2rint, GKTUNE_F16(rintf(a)))
GKTUNE_COMPARE(eq, ==)
GKTUNE_COMPARE(ne, !=)
GKTUNE_COMPARE(lt, <)
GKTUNE_COMPARE(le, <=)
GKTUNE_COMPARE(gt, >)
GKTUNE_COMPARE(ge, >=)
#undef GKTUNE_UNARY
#undef GKTUNE_BINARY
#undef GKTUNE_COMPARE

template <class F>
inline GKTUNE_F16 __hfma(GKTUNE_F16 a, GKTUNE_F16 b, GKTUNE_F16 c) {
  return GKTUNE_F16(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
}
template <class F>
inline GKTUNE_F16X2 __hfma2(GKTUNE_F16X2 a, GKTUNE_F16X2 b, GKTUNE_F16X2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
template <class F>
inline GKTUNE_F16 __hfma_sat(GKTUNE_F16 a, GKTUNE_F16 b, GKTUNE_F16 c) {
  return GKTUNE_F16(__saturatef(__hfma(a, b, c)));
}
template <class F>
inline GKTUNE_F16 __hfma_relu(GKTUNE_F16 a, GKTUNE_F16 b, GKTUNE_F16 c) {
  const GKTUNE_F16 value = __hfma(a, b, c);
  return value < GKTUNE_F16(0.0f) ? GKTUNE_F16(0.0f) : value;
}

template <class F>
inline float __low2float(GKTUNE_F16X2 a) {
  return a.x;
}
template <class F>
inline float __high2float(GKTUNE_F16X2 a) {
  return a.y;
}
template <class F>
inline GKTUNE_F16X2 __lowhigh2highlow(GKTUNE_F16X2 a) {
  return {a.y, a.x};
}

template <class F>
GKTUNE_ALWAYS_INLINE GKTUNE_F16 atomicAdd(GKTUNE_F16* p,
                                          typename ::gktune::kernel::Identity<GKTUNE_F16>::type v) {
  return ::gktune::kernel::update(p, [v](GKTUNE_F16 old) { return old + v; });
}
template <class F>
GKTUNE_ALWAYS_INLINE GKTUNE_F16X2 atomicAdd(GKTUNE_F16X2* p,
                                            typename ::gktune::kernel::Identity<GKTUNE_F16X2>::type v) {
  return ::gktune::kernel::update(p, [v](GKTUNE_F16X2 old) { return old + v; });
}
#undef GKTUNE_F16
#undef GKTUNE_F16X2

// Functions that differ only by the format's name in their own names.
#define GKTUNE_FLOAT16_NAMES(name, Type, Type2)                                                     \
  inline Type __float2##name(float x) { return Type(x); }                                           \
  inline Type __double2##name(double x) { return Type(x); }                                         \
  inline Type __float2##name##_rn(float x) { return Type(x); }                                      \
  inline Type __float2##name##_rz(float x) {                                                        \
    return ::gktune::kernel::rounded<Type>(x, ::gktune::kernel::Rounding::zero);                    \
  }                                                                                                 \
  inline Type __float2##name##_ru(float x) {                                                        \
    return ::gktune::kernel::rounded<Type>(x, ::gktune::kernel::Rounding::up);                      \
  }                                                                                                 \
  inline Type __float2##name##_rd(float x) {                                                        \
    return ::gktune::kernel::rounded<Type>(x, ::gktune::kernel::Rounding::down);                    \
  }                                                                                                 \
  inline float __##name##2float(Type x) { return x; }                                               \
  inline Type __int2##name##_rn(int x) { return Type(x); }                                          \
  inline Type __uint2##name##_rn(unsigned x) { return Type(x); }                                    \
  inline Type __short2##name##_rn(short x) { return Type(x); }                                      \
  inline Type __ushort2##name##_rn(unsigned short x) { return Type(x); }                            \
  inline Type __ll2##name##_rn(long long x) { return Type(x); }                                     \
  inline Type __ull2##name##_rn(unsigned long long x) { return Type(x); }                           \
  inline int __##name##2int_rn(Type x) { return __float2int_rn(x); }                                \
  inline int __##name##2int_rz(Type x) { return __float2int_rz(x); }                                \
  inline int __##name##2int_ru(Type x) { return __float2int_ru(x); }                                \
  inline int __##name##2int_rd(Type x) { return __float2int_rd(x); }                                \
  inline unsigned __##name##2uint_rn(Type x) { return __float2uint_rn(x); }                         \
  inline unsigned __##name##2uint_rz(Type x) { return __float2uint_rz(x); }                         \
  inline long long __##name##2ll_rz(Type x) { return __float2ll_rz(x); }                            \
  inline unsigned short __##name##_as_ushort(Type x) { return x.bits; }                             \
  inline short __##name##_as_short(Type x) { return static_cast<short>(x.bits); }                   \
  inline Type __ushort_as_##name(unsigned short x) { return Type(::gktune::kernel::RawBits(), x); } \
  inline Type __short_as_##name(short x) {                                                          \
    return Type(::gktune::kernel::RawBits(), static_cast<unsigned short>(x));                       \
  }                                                                                                 \
  inline Type2 __float2##name##2_rn(float x) { return {Type(x), Type(x)}; }                         \
  inline Type2 __floats2##name##2_rn(float x, float y) { return {Type(x), Type(y)}; }               \
  inline Type2 __float22##name##2_rn(float2 x) { return {Type(x.x), Type(x.y)}; }                   \
  inline float2 __##name##22float2(Type2 x) { return {x.x, x.y}; }                                  \
  inline Type2 __##name##2##name##2(Type x) { return {x, x}; }                                      \
  inline Type2 __halves2##name##2(Type x, Type y) { return {x, y}; }                                \
  inline Type __low2##name(Type2 x) { return x.x; }                                                 \
  inline Type __high2##name(Type2 x) { return x.y; }                                                \
  inline Type2 __low2##name##2(Type2 x) { return {x.x, x.x}; }                                      \
  inline Type2 __high2##name##2(Type2 x) { return {x.y, x.y}; }                                     \
  inline Type2 __lows2##name##2(Type2 x, Type2 y) { return {x.x, y.x}; }                            \
  inline Type2 __highs2##name##2(Type2 x, Type2 y) { return {x.y, y.y}; }                           \
  inline Type2 make_##name##2(Type x, Type y) { return {x, y}; }

namespace gktune::kernel {
template <class Type>
struct FormatOf;
template <class F>
struct FormatOf<Float16<F>> {
  using type = F;
};
template <class Type>
inline Type rounded(float x, Rounding rounding) {
  return Type(RawBits(), narrow<typename FormatOf<Type>::type>(x, rounding));
}
}  // namespace gktune::kernel
