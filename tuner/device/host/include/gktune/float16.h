#pragma once

// The two 16-bit formats, half and bfloat16, which differ only in their encoding. Arithmetic is done
// in float and rounded once: float has enough digits for that to be exact; a fused
// multiply-add is done in double.

#include "gktune/conversions.h"
#include "gktune/vector_types.h"

namespace gktune::kernel {

enum class Rounding { nearest, zero, up, down };

struct HalfFormat {
  static constexpr unsigned kInfinity = 0x7c00;
  static float widen(unsigned short bits) {
    const unsigned sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
    // Shifted into place, the exponent is too small by 112; multiplying mends subnormal numbers too.
    unsigned wide = bit_cast<unsigned>(bit_cast<float>(magnitude << 13) * 0x1p112f);
    if (magnitude >= kInfinity) wide |= 0x7f800000u;
    return bit_cast<float>(wide | sign);
  }
};

struct BrainFormat {
  static constexpr unsigned kInfinity = 0x7f80;
  static float widen(unsigned short bits) { return bit_cast<float>(static_cast<unsigned>(bits) << 16); }
};

// Rounded to nearest, as nearly every operation requires.
inline unsigned short narrow_half(float x) {
  const unsigned bits = bit_cast<unsigned>(x), sign = bits >> 16 & 0x8000u;
  const unsigned magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x47800000u) return static_cast<unsigned short>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Adding 0.5 leaves the bits of a subnormal half at the end of the sum, rounded by the addition.
    const float sum = bit_cast<float>(magnitude) + 0.5f;
    return static_cast<unsigned short>(sign | (bit_cast<unsigned>(sum) - 0x3f000000u));
  }
  return static_cast<unsigned short>(sign |
                                     ((magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u)) >> 13));
}
inline unsigned short narrow_brain(float x) {
  const unsigned bits = bit_cast<unsigned>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
inline unsigned short narrow_nearest(HalfFormat, float x) { return narrow_half(x); }
inline unsigned short narrow_nearest(BrainFormat, float x) { return narrow_brain(x); }

// Moves by one place from the nearest number where that is on the wrong side of x.
template <class Format>
inline unsigned short narrow(float x, Rounding rounding) {
  const unsigned short nearest = narrow_nearest(Format(), x);
  if (x != x || rounding == Rounding::nearest) return nearest;
  const bool is_negative = bit_cast<unsigned>(x) >> 31 != 0;
  const bool is_away_from_zero = rounding == (is_negative ? Rounding::down : Rounding::up);
  const float magnitude = fabsf(x), found = fabsf(Format::widen(nearest));
  if (is_away_from_zero) return static_cast<unsigned short>(nearest + (found < magnitude ? 1 : 0));
  return static_cast<unsigned short>(nearest - (found > magnitude ? 1 : 0));
}

// A double is rounded to a float that keeps what decides the rounding: towards odd.
inline float to_odd(double x) {
  const float rounded = static_cast<float>(x);
  if (static_cast<double>(rounded) == x || x != x || __builtin_isinf(rounded)) return rounded;
  const float low = fabs(static_cast<double>(rounded)) > fabs(x) ? nextafterf(rounded, 0.0f) : rounded;
  return bit_cast<float>(bit_cast<unsigned>(low) | 1u);
}

struct RawBits {};

template <class Format>
struct Float16 {
  unsigned short bits;

  Float16() = default;
  constexpr Float16(RawBits, unsigned short raw) : bits(raw) {}
  Float16(float x) : bits(narrow_nearest(Format(), x)) {}
  Float16(double x) : Float16(to_odd(x)) {}
  Float16(int x) : Float16(to_odd(x)) {}
  Float16(unsigned x) : Float16(to_odd(x)) {}
  Float16(short x) : Float16(to_odd(x)) {}
  Float16(unsigned short x) : Float16(to_odd(x)) {}
  Float16(long x) : Float16(to_odd(static_cast<double>(x))) {}
  Float16(unsigned long x) : Float16(to_odd(static_cast<double>(x))) {}
  Float16(long long x) : Float16(to_odd(static_cast<double>(x))) {}
  Float16(unsigned long long x) : Float16(to_odd(static_cast<double>(x))) {}

  operator float() const { return Format::widen(bits); }
  explicit operator double() const { return Format::widen(bits); }
  explicit operator bool() const { return (bits & 0x7fff) != 0; }
  explicit operator int() const { return __float2int_rz(*this); }
  explicit operator unsigned() const { return __float2uint_rz(*this); }
  explicit operator short() const { return static_cast<short>(__float2int_rz(*this)); }
  explicit operator unsigned short() const { return static_cast<unsigned short>(__float2uint_rz(*this)); }
  explicit operator long long() const { return __float2ll_rz(*this); }
  explicit operator unsigned long long() const { return __float2ull_rz(*this); }

  friend Float16 operator+(Float16 a, Float16 b) { return float(a) + float(b); }
  friend Float16 operator-(Float16 a, Float16 b) { return float(a) - float(b); }
  friend Float16 operator*(Float16 a, Float16 b) { return float(a) * float(b); }
  friend Float16 operator/(Float16 a, Float16 b) { return float(a) / float(b); }
  friend Float16 operator+(Float16 a) { return a; }
  friend Float16 operator-(Float16 a) {
    return Float16(RawBits(), static_cast<unsigned short>(a.bits ^ 0x8000));
  }
  friend bool operator==(Float16 a, Float16 b) { return float(a) == float(b); }
  friend bool operator!=(Float16 a, Float16 b) { return float(a) != float(b); }
  friend bool operator<(Float16 a, Float16 b) { return float(a) < float(b); }
  friend bool operator<=(Float16 a, Float16 b) { return float(a) <= float(b); }
  friend bool operator>(Float16 a, Float16 b) { return float(a) > float(b); }
  friend bool operator>=(Float16 a, Float16 b) { return float(a) >= float(b); }
  Float16& operator+=(Float16 b) { return *this = *this + b; }
  Float16& operator-=(Float16 b) { return *this = *this - b; }
  Float16& operator*=(Float16 b) { return *this = *this * b; }
  Float16& operator/=(Float16 b) { return *this = *this / b; }
  Float16& operator++() { return *this = *this + Float16(1.0f); }
  Float16& operator--() { return *this = *this - Float16(1.0f); }
};

template <class Format>
struct __attribute__((aligned(4))) Float16x2 {
  Float16<Format> x, y;

  Float16x2() = default;
  constexpr Float16x2(Float16<Format> low, Float16<Format> high) : x(low), y(high) {}

  friend Float16x2 operator+(Float16x2 a, Float16x2 b) { return {a.x + b.x, a.y + b.y}; }
  friend Float16x2 operator-(Float16x2 a, Float16x2 b) { return {a.x - b.x, a.y - b.y}; }
  friend Float16x2 operator*(Float16x2 a, Float16x2 b) { return {a.x * b.x, a.y * b.y}; }
  friend Float16x2 operator/(Float16x2 a, Float16x2 b) { return {a.x / b.x, a.y / b.y}; }
  friend Float16x2 operator-(Float16x2 a) { return {-a.x, -a.y}; }
  friend bool operator==(Float16x2 a, Float16x2 b) { return a.x == b.x && a.y == b.y; }
  friend bool operator!=(Float16x2 a, Float16x2 b) { return a.x != b.x && a.y != b.y; }
  Float16x2& operator+=(Float16x2 b) { return *this = *this + b; }
  Float16x2& operator-=(Float16x2 b) { return *this = *this - b; }
  Float16x2& operator*=(Float16x2 b) { return *this = *this * b; }
  Float16x2& operator/=(Float16x2 b) { return *this = *this / b; }
};

}  // namespace gktune::kernel
