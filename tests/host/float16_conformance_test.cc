#include <cmath>

#include "tests/host/conformance.h"

namespace gktune {
namespace {

using Float16 = Conformance;

// A binary format of 16 bits, implemented from its definition.
struct Format {
  int mantissa_bits, min_exponent, max_exponent;

  double decode(unsigned bits) const {
    const double sign = bits & 0x8000 ? -1 : 1;
    const unsigned mantissa = bits & ((1u << mantissa_bits) - 1), exponent = (bits & 0x7fff) >> mantissa_bits;
    if (exponent == (0x7fffu >> mantissa_bits)) return mantissa != 0 ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * std::ldexp(mantissa, min_exponent - mantissa_bits);
    return sign * std::ldexp(1.0 + std::ldexp(mantissa, -mantissa_bits),
                             static_cast<int>(exponent) - 1 + min_exponent);
  }

  // x in this format. `round` rounds to whole numbers.
  double rounded(double x, double (*round)(double)) const {
    if (x == 0 || !std::isfinite(x)) return x;
    const double quantum = std::ldexp(1.0, std::max(std::ilogb(x), min_exponent) - mantissa_bits);
    const double result = round(x / quantum) * quantum;
    const double largest = std::ldexp(2.0 - std::ldexp(1.0, -mantissa_bits), max_exponent);
    if (std::abs(result) <= largest) return result;
    return std::copysign(std::abs(round(std::copysign(0.75, x))) != 0 ? INFINITY : largest, x);
  }
};

constexpr Format kHalf{10, -14, 15}, kBrain{7, -126, 127};

double nearest(double x) { return std::nearbyint(x); }
double towards_zero(double x) { return std::trunc(x); }
double upwards(double x) { return std::ceil(x); }
double downwards(double x) { return std::floor(x); }

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

std::vector<float> inputs() {
  std::vector<float> in{0.0f,     -0.0f,   1.0f,  65504.0f, 65519.0f,       65520.0f,      -70000.0f,
                        6e-8f,    2.9e-8f, 3e-8f, 6.1e-5f,  1.00048828125f, 1.0009765625f, 1.00146484375f,
                        INFINITY, NAN,     1e30f, -3.4e38f, 1e-38f};
  for (unsigned i = 0; in.size() < 256; ++i) {
    in.push_back(std::ldexp(1.0f + static_cast<float>(i * 2654435761u >> 9) / 8388608.0f,
                            static_cast<int>(i % 40) - 26) *
                 (i % 3 == 0 ? -1.0f : 1.0f));
  }
  return in;
}

TEST_P(Float16, conversions_from_float_round_as_their_names_say) {
  std::vector<float> in = inputs();
  std::vector<unsigned short> out(in.size() * 6);
  run("float16.cu", "half_from_float", line(1, static_cast<std::int64_t>(in.size())), in, out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double x = in[i];
    const double expected[6] = {kHalf.rounded(x, nearest),  kHalf.rounded(x, towards_zero),
                                kHalf.rounded(x, upwards),  kHalf.rounded(x, downwards),
                                kBrain.rounded(x, nearest), kBrain.rounded(x, towards_zero)};
    for (std::size_t k = 0; k < 6; ++k) {
      const double actual = (k < 4 ? kHalf : kBrain).decode(out[i * 6 + k]);
      EXPECT_TRUE(same(actual, expected[k]))
          << "conversion " << k << " of " << x << ": " << actual << ", not " << expected[k];
    }
  }
}

TEST_P(Float16, every_value_widens_exactly) {
  std::vector<float> out(2 * 65536);
  run("float16.cu", "float_from_half", line(256, 256), out);
  for (unsigned bits = 0; bits < 65536; ++bits) {
    ASSERT_TRUE(same(out[2 * bits], kHalf.decode(bits))) << bits;
    ASSERT_TRUE(same(out[2 * bits + 1], kBrain.decode(bits))) << bits;
  }
}

void check_arithmetic(const Format& format, const std::vector<float>& a, const std::vector<float>& b,
                      const std::vector<unsigned short>& out) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = format.rounded(a[i], nearest), y = format.rounded(b[i], nearest);
    const auto round = [&](double value) { return format.rounded(value, nearest); };
    const double expected[11] = {
        round(x + y),           round(x - y),    round(x * y), round(x / y), round(std::fma(x, y, x)),
        std::fmax(x, y),        std::fmin(x, y), -x,           std::abs(x),  0,
        round(x + round(y * x))};
    const unsigned short* row = &out[i * 11];
    for (std::size_t k = 0; k < 11; ++k) {
      if (k == 9) continue;
      const double actual = format.decode(row[k]);
      // A compiler for GPUs may fuse a product and a sum into one instruction.
      if (k == 10 && actual == expected[4]) continue;
      EXPECT_TRUE(std::isnan(expected[k]) ? std::isnan(actual) : actual == expected[k])
          << "operation " << k << " on " << x << " and " << y << ": " << actual << ", not " << expected[k];
    }
    EXPECT_EQ(row[9], (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x > y) + 16 * (x >= y) +
                          (x != y && !std::isnan(x) && !std::isnan(y) ? 32 : row[9] & 32));
  }
}

TEST_P(Float16, arithmetic_is_rounded_once) {
  std::vector<float> a = inputs(), b(a.rbegin(), a.rend());
  std::vector<unsigned short> out(a.size() * 11);
  run("float16.cu", "half_arithmetic", line(1, static_cast<std::int64_t>(a.size())), a, b, out);
  check_arithmetic(kHalf, a, b, out);
  run("float16.cu", "bfloat16_arithmetic", line(1, static_cast<std::int64_t>(a.size())), a, b, out);
  check_arithmetic(kBrain, a, b, out);
}

TEST_P(Float16, computes_with_pairs) {
  std::vector<float> in{1.5f, -2.25f, 0.125f, 100.0f}, out(20);
  run("float16.cu", "half_pairs", line(1, 2), in, out);
  for (std::size_t i = 0; i < 2; ++i) {
    const float x = in[2 * i], y = in[2 * i + 1];
    const std::vector<float> expected{x + 3, y * 3, x * 3 + x, y * 3 + y, x + y, y, y, y * 3, 2 * x, y};
    EXPECT_EQ(std::vector<float>(out.begin() + static_cast<long>(10 * i),
                                 out.begin() + static_cast<long>(10 * i + 10)),
              expected);
  }
}

TEST_P(Float16, works_in_shared_memory_shuffles_and_atomics) {
  std::vector<float> in(64);
  for (std::size_t i = 0; i < 64; ++i) in[i] = static_cast<float>(i % 4);
  std::vector<unsigned short> half(2), brain(2);
  run("float16.cu", "half_sum", line(1, 64), in, half, brain);
  EXPECT_EQ(kHalf.decode(half[0]), 96);
  EXPECT_EQ(kBrain.decode(brain[0]), 96);
  EXPECT_EQ(half[1] | brain[1], 0);
}

GKTUNE_ON_EACH_RUNNER(Float16);

}  // namespace
}  // namespace gktune
