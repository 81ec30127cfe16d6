#pragma once

// Compares elements of an output with the reference. Every C++ compiler takes
// this header, the GPU's included.

#include "tuner/measure/generator.h"

namespace gktune {

struct ErrorBounds {
  double absolute, relative;
  unsigned long long ulp;
  bool nan_equals = false;
};

// Selects elements: the first `row` of each `pitch`, if their mask is not zero. A pitch of
// 0 and a null mask select all.
struct Selection {
  unsigned long long row = 0, pitch = 0;
  const unsigned char* mask = nullptr;
};
GKTUNE_EVERYWHERE inline bool counts(const Selection& selection, unsigned long long i) {
  return (selection.pitch == 0 || i % selection.pitch < selection.row) &&
         (selection.mask == nullptr || selection.mask[i] != 0);
}

struct Difference {
  bool passes;
  bool is_nan;  // the output's
  double absolute;
};

GKTUNE_EVERYWHERE inline double magnitude(double x) { return x < 0 ? -x : x; }

// Exact from the bits of an IEEE number with these numbers of exponent and fraction bits:
// half (5, 10), bfloat16 (8, 7).
GKTUNE_EVERYWHERE inline double decode_small_float(unsigned bits, int exponent_bits, int fraction_bits) {
  const unsigned fraction = bits & ((1u << fraction_bits) - 1);
  const int biased = static_cast<int>((bits >> fraction_bits) & ((1u << exponent_bits) - 1));
  const int all_ones = (1 << exponent_bits) - 1, bias = all_ones >> 1;
  double value = 0;
  if (biased == all_ones) {
    const double infinity = 1e308 * 10;
    value = fraction == 0 ? infinity : infinity - infinity;
  } else {
    value = static_cast<double>(biased == 0 ? fraction : fraction + (1u << fraction_bits));
    int exponent = (biased == 0 ? 1 : biased) - bias - fraction_bits;
    for (; exponent > 0; --exponent) value *= 2;
    for (; exponent < 0; ++exponent) value *= 0.5;
  }
  return (bits >> (exponent_bits + fraction_bits)) & 1 ? -value : value;
}

// See encode_float8_e4m3.
GKTUNE_EVERYWHERE inline double decode_float8_e4m3(unsigned bits) {
  const unsigned magnitude_bits = bits & 0x7f;
  if (magnitude_bits < 0x78 || magnitude_bits == 0x7f)
    return decode_small_float(magnitude_bits == 0x7f ? 0x7f : bits, 4, 3);
  const double value = 256 + 32 * static_cast<double>(magnitude_bits - 0x78);
  return (bits & 0x80) != 0 ? -value : value;
}

// The bits of an IEEE number of this many bytes, ordered like the
// numbers: neighbours differ by one.
GKTUNE_EVERYWHERE inline long long ordered_bits(unsigned long long bits, int size_bytes) {
  const int sign_shift = size_bytes * 8 - 1;
  const long long without_sign = static_cast<long long>(bits & ~(1ull << sign_shift));
  return (bits >> sign_shift) & 1 ? -without_sign : without_sign;
}

// NaN passes only by choice, and only where NaN is expected; an infinity passes
// where the same one is expected.
GKTUNE_EVERYWHERE inline Difference compare_reals(double actual, double expected,
                                                  unsigned long long actual_bits,
                                                  unsigned long long expected_bits, int size_bytes,
                                                  ErrorBounds bounds) {
  const double infinity = 1e308 * 10;
  const bool are_nan = actual != actual && expected != expected;
  if (actual == expected || (are_nan && bounds.nan_equals)) return {true, false, 0};
  if (actual != actual || expected != expected || magnitude(actual) == infinity ||
      magnitude(expected) == infinity) {
    return {false, actual != actual, infinity};
  }
  const long long a = ordered_bits(actual_bits, size_bytes), b = ordered_bits(expected_bits, size_bytes);
  const unsigned long long ulp =
      a > b ? static_cast<unsigned long long>(a) - static_cast<unsigned long long>(b)
            : static_cast<unsigned long long>(b) - static_cast<unsigned long long>(a);
  const double absolute = magnitude(actual - expected);
  const bool passes =
      absolute <= bounds.absolute || absolute <= bounds.relative * magnitude(expected) || ulp <= bounds.ulp;
  return {passes, false, absolute};
}

// For finite parts, no intermediate result overflows.
GKTUNE_EVERYWHERE inline double complex_magnitude(double real, double imaginary) {
  const double a = magnitude(real), b = magnitude(imaginary);
  const double large = a > b ? a : b, small = a > b ? b : a;
  if (large == 0) return 0;
  const double ratio = small / large;
  return large * plain_sqrt(1 + ratio * ratio);
}

GKTUNE_EVERYWHERE inline bool is_finite(double x) { return x - x == 0; }

// Complex numbers by the magnitude of their difference. NaN and infinities pass where both parts are the
// expected ones, NaN only by choice.
GKTUNE_EVERYWHERE inline Difference compare_complex(double actual_real, double actual_imaginary,
                                                    double expected_real, double expected_imaginary,
                                                    ErrorBounds bounds) {
  const double infinity = 1e308 * 10;
  const bool are_nan = actual_real != actual_real && expected_real != expected_real;
  const bool are_nan_too = actual_imaginary != actual_imaginary && expected_imaginary != expected_imaginary;
  if ((actual_real == expected_real || (are_nan && bounds.nan_equals)) &&
      (actual_imaginary == expected_imaginary || (are_nan_too && bounds.nan_equals))) {
    return {true, false, 0};
  }
  if (!is_finite(actual_real) || !is_finite(actual_imaginary) || !is_finite(expected_real) ||
      !is_finite(expected_imaginary)) {
    const bool is_nan = actual_real != actual_real || actual_imaginary != actual_imaginary;
    return {false, is_nan, infinity};
  }
  const double absolute =
      complex_magnitude(actual_real - expected_real, actual_imaginary - expected_imaginary);
  const double size = complex_magnitude(expected_real, expected_imaginary);
  const bool passes = absolute <= bounds.absolute || absolute <= bounds.relative * size;
  return {passes, false, absolute};
}

// The norm of differences as a share of the norm of what is expected, from the sums of their squares.
GKTUNE_EVERYWHERE inline double relative_norm(double differences, double squares) {
  const double infinity = 1e308 * 10;
  if (differences == 0) return 0;
  return squares == 0 ? infinity : plain_sqrt(differences / squares);
}

// Integers as their bits, widened to 64 with their sign; one unit in the last place is one.
GKTUNE_EVERYWHERE inline Difference compare_integers(unsigned long long actual, unsigned long long expected,
                                                     bool is_signed, ErrorBounds bounds) {
  if (actual == expected) return {true, false, 0};
  const bool greater =
      is_signed ? static_cast<long long>(actual) > static_cast<long long>(expected) : actual > expected;
  const unsigned long long distance = greater ? actual - expected : expected - actual;
  const bool is_negative = is_signed && static_cast<long long>(expected) < 0;
  const double size = static_cast<double>(is_negative ? 0 - expected : expected);
  const double absolute = static_cast<double>(distance);
  const bool passes =
      absolute <= bounds.absolute || absolute <= bounds.relative * size || distance <= bounds.ulp;
  return {passes, false, absolute};
}

}  // namespace gktune
