#pragma once

// The elements of generated inputs. Element i depends on the seed and on i alone, and on nothing
// that a machine rounds in its own way, so that every device holds the same bits. Any C++ compiler takes this
// header, the GPU's included: it includes nothing. Compilers that fuse multiply and add on
// their own must be told not to.

#ifdef __CUDACC__
#define GKTUNE_EVERYWHERE __host__ __device__
#else
#define GKTUNE_EVERYWHERE
#endif

namespace gktune {

// SplitMix64's finaliser: every bit of the result depends on every bit of the argument.
GKTUNE_EVERYWHERE inline unsigned long long mixed_bits(unsigned long long bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
  return bits ^ (bits >> 31);
}

GKTUNE_EVERYWHERE inline unsigned long long random_bits(unsigned long long seed, unsigned long long i) {
  return mixed_bits(mixed_bits(seed + 0x9e3779b97f4a7c15ull) + (i + 1) * 0x9e3779b97f4a7c15ull);
}

// In [0, 1), a multiple of 2^-53.
GKTUNE_EVERYWHERE inline double unit_uniform(unsigned long long seed, unsigned long long i) {
  return static_cast<double>(random_bits(seed, i) >> 11) * (1.0 / 9007199254740992.0);
}

GKTUNE_EVERYWHERE inline double uniform_real(unsigned long long seed, unsigned long long i, double low,
                                             double high) {
  return low + unit_uniform(seed, i) * (high - low);
}

GKTUNE_EVERYWHERE inline unsigned long long product_high(unsigned long long a, unsigned long long b) {
  const unsigned long long a_low = a & 0xffffffffu, a_high = a >> 32, b_low = b & 0xffffffffu,
                           b_high = b >> 32;
  const unsigned long long middle = a_high * b_low + ((a_low * b_low) >> 32);
  const unsigned long long other = a_low * b_high + (middle & 0xffffffffu);
  return a_high * b_high + (middle >> 32) + (other >> 32);
}

// From low to high, both included; as bits, which serves signed and unsigned integers alike.
GKTUNE_EVERYWHERE inline unsigned long long uniform_integer(unsigned long long seed, unsigned long long i,
                                                            unsigned long long low, unsigned long long high) {
  const unsigned long long range = high - low + 1;  // 0: all 2^64 of them
  const unsigned long long bits = random_bits(seed, i);
  return low + (range == 0 ? bits : product_high(bits, range));
}

// The element of a ramp or a file that comes to the i-th place: the i-th without a seed, else any.
GKTUNE_EVERYWHERE inline unsigned long long drawn_place(unsigned long long seed, unsigned long long i,
                                                        unsigned long long count) {
  return seed == 0 ? i : uniform_integer(seed, i, 0, count - 1);
}

// The natural logarithm of a normal positive number, to about 1e-15: by its exponent, and a series in
// (m - 1) / (m + 1) for its mantissa.
GKTUNE_EVERYWHERE inline double plain_log(double x) {
  const double coefficients[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                 1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  int exponent = 0;
  while (x < 1.0 / 256) x *= 256, exponent -= 8;
  while (x < 0.70710678118654752) x *= 2, --exponent;
  while (x > 256) x *= 1.0 / 256, exponent += 8;
  while (x > 1.4142135623730951) x *= 0.5, ++exponent;
  const double z = (x - 1) / (x + 1), square = z * z;
  double sum = 0;
  for (const double coefficient : coefficients) sum = sum * square + coefficient;
  return 2 * z * sum + exponent * 0.69314718055994531;
}

// The cosine of 2 pi x for x in [0, 1), by symmetry and the series on the first eighth.
GKTUNE_EVERYWHERE inline double cosine_of_turns(double x) {
  if (x > 0.5) x = 1 - x;
  const bool negative = x > 0.25;
  if (negative) x = 0.5 - x;
  const bool is_sine = x > 0.125;
  if (is_sine) x = 0.25 - x;
  const double angle = 6.2831853071795865 * x, square = angle * angle;
  double term = is_sine ? angle : 1, sum = term;
  for (int k = is_sine ? 2 : 1; k < 17; k += 2) {
    term *= -square / (k * (k + 1));
    sum += term;
  }
  return negative ? -sum : sum;
}

GKTUNE_EVERYWHERE inline double plain_sqrt(double x) {
#ifdef __CUDACC__
  return sqrt(x);
#else
  return __builtin_sqrt(x);
#endif
}

// Box and Muller's: two uniform numbers make one normal one.
GKTUNE_EVERYWHERE inline double normal_real(unsigned long long seed, unsigned long long i, double mean,
                                            double deviation) {
  const double radius = plain_sqrt(-2 * plain_log(1 - unit_uniform(seed, 2 * i)));
  return mean + deviation * (radius * cosine_of_turns(unit_uniform(seed, 2 * i + 1)));
}

// The largest number of an integer type of this many bytes that is a signed integer of 64 bits.
GKTUNE_EVERYWHERE inline long long largest_integer(int bytes, bool is_signed) {
  const long long all = static_cast<long long>(~0ull >> 1);
  return is_signed || bytes == 8 ? all >> (64 - 8 * bytes) : all >> (63 - 8 * bytes);
}

// The nearest integer, clamped to two bounds.
GKTUNE_EVERYWHERE inline long long normal_integer(unsigned long long seed, unsigned long long i, double mean,
                                                  double deviation, long long low, long long high) {
  const double x = normal_real(seed, i, mean, deviation);
  if (x <= static_cast<double>(low)) return low;
  if (x >= static_cast<double>(high)) return high;
  return static_cast<long long>(x < 0 ? x - 0.5 : x + 0.5);
}

// The bits of the IEEE number nearest to x, ties to even, with so many bits of exponent and of fraction: half
// (5, 10), bfloat16 (8, 7).
GKTUNE_EVERYWHERE inline unsigned encode_small_float(double x, int exponent_bits, int fraction_bits) {
  const unsigned infinity = ((1u << exponent_bits) - 1) << fraction_bits;
  const unsigned sign = x < 0 ? 1u << (exponent_bits + fraction_bits) : 0;
  if (x != x) return infinity | (1u << (fraction_bits - 1));
  if (x < 0) x = -x;
  const int least = 2 - (1 << (exponent_bits - 1)), most = 1 - least;
  int exponent = 0;
  for (; x >= 2 && exponent <= most; ++exponent) x *= 0.5;
  for (; x < 1 && exponent > least; --exponent) x *= 2;
  if (exponent > most) return sign | infinity;
  x *= static_cast<double>(1 << fraction_bits);
  unsigned fraction = static_cast<unsigned>(x);
  const double rest = x - static_cast<double>(fraction);
  if (rest > 0.5 || (rest == 0.5 && (fraction & 1) == 1))
    ++fraction;  // carries into the exponent as it should
  return sign | ((static_cast<unsigned>(exponent - least) << fraction_bits) + fraction);
}

// The bits of the nearest number of eight bits with four of exponent and three of fraction, as NVIDIA and
// others have it: without infinities, up to 448. Larger numbers become the largest.
GKTUNE_EVERYWHERE inline unsigned encode_float8_e4m3(double x) {
  if (x != x) return 0x7f;
  const unsigned sign = x < 0 ? 0x80 : 0;
  if (x < 0) x = -x;
  if (x < 248) return sign | encode_small_float(x, 4, 3);
  if (x >= 448) return sign | 0x7e;
  // The highest exponent, 256 and eighths of it, would be that of infinities.
  const double eighths = (x - 256) / 32;
  unsigned fraction = eighths < 0 ? 0 : static_cast<unsigned>(eighths);
  const double rest = eighths - static_cast<double>(fraction);
  if (rest > 0.5 || (rest == 0.5 && (fraction & 1) == 1)) ++fraction;
  return sign | (0x78 + fraction);
}

// The byte of a guard zone at an offset. A kernel is unlikely to write it by chance next to its neighbours.
// At each offset two patterns differ, which shows copies from the zone of another buffer.
GKTUNE_EVERYWHERE inline unsigned char guard_byte(unsigned char pattern, unsigned long long offset) {
  return static_cast<unsigned char>(mixed_bits(offset + 0x67756172642121ull) + pattern);
}

}  // namespace gktune
