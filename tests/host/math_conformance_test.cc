#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "tests/host/conformance.h"

namespace gktune {
namespace {

using Math = Conformance;
using Unary = std::function<double(double)>;
using Binary = std::function<double(double, double)>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// True if `actual` differs from the exact result by less than `ulps` units in the last place of a T. A result
// too small for normal numbers may be flushed to zero.
template <class T>
bool is_near(T actual, double exact, double ulps) {
  if (std::isnan(exact)) return std::isnan(actual);
  const T rounded = static_cast<T>(exact);
  if (std::isinf(rounded) || std::isinf(actual)) return rounded == actual;
  const double unit = std::max<double>(std::abs(rounded), std::numeric_limits<T>::min()) *
                      static_cast<double>(std::numeric_limits<T>::epsilon());
  return std::abs(static_cast<double>(actual) - exact) <= ulps * unit;
}

std::vector<float> inputs() {
  std::vector<float> in{0.0f,  -0.0f,     1.0f,       -1.0f, 0.5f,  2.5f,
                        -2.5f, kInfinity, -kInfinity, kNan,  1e-6f, 3e8f};
  for (int i = 0; in.size() < 128; ++i)
    in.push_back(std::ldexp(1.0f + 0.37f * static_cast<float>(i % 3), i % 12 - 6) *
                 (i % 5 == 0 ? -1.0f : 1.0f));
  return in;
}

TEST_P(Math, computes_functions_of_one_number) {
  const double pi = std::numbers::pi;
  const auto of_pi = [pi](double x, double shift) {
    // The argument is reduced before it is multiplied: only then are zeros exact.
    const double turns = std::remainder(x, 2.0);
    const double quarter = std::remainder(2 * (turns + shift), 4.0);
    return quarter == std::trunc(quarter) ? (quarter == 1                             ? 1.0
                                             : std::abs(quarter) == 2 || quarter == 0 ? 0.0
                                                                                      : -1.0)
                                          : std::sin(pi * (turns + shift));
  };
  const std::vector<std::pair<Unary, double>> functions{
      {[](double x) { return std::sqrt(x); }, 0.5},
      {[](double x) { return 1 / std::sqrt(x); }, 2},
      {[](double x) { return std::cbrt(x); }, 2},
      {[](double x) { return std::exp(x); }, 3},
      {[](double x) { return std::exp2(x); }, 3},
      {[](double x) { return std::pow(10.0, x); }, 3},
      {[](double x) { return std::expm1(x); }, 3},
      {[](double x) { return std::log(x); }, 3},
      {[](double x) { return std::log2(x); }, 3},
      {[](double x) { return std::log10(x); }, 3},
      {[](double x) { return std::log1p(x); }, 3},
      {[](double x) { return std::sin(x); }, 3},
      {[](double x) { return std::cos(x); }, 3},
      {[](double x) { return std::tan(x); }, 5},
      {[](double x) { return std::atan(x); }, 3},
      {[](double x) { return std::sinh(x); }, 4},
      {[](double x) { return std::cosh(x); }, 4},
      {[](double x) { return std::tanh(x); }, 4},
      {[](double x) { return std::erf(x); }, 4},
      {[](double x) { return std::erfc(x); }, 8},
      {[](double x) { return std::floor(x); }, 0},
      {[](double x) { return std::ceil(x); }, 0},
      {[](double x) { return std::trunc(x); }, 0},
      {[](double x) { return std::round(x); }, 0},
      {[](double x) { return std::nearbyint(x); }, 0},
      {[](double x) { return std::abs(x); }, 0},
      {[](double x) { return std::sqrt(x); }, 0.5},
      {[](double x) { return std::exp(x); }, 3},
      {[](double x) { return std::abs(x); }, 0},
      {[=](double x) { return std::isfinite(x) ? of_pi(x, 0) : static_cast<double>(kNan); }, 3},
      {[=](double x) { return std::isfinite(x) ? of_pi(x, 0.5) : static_cast<double>(kNan); }, 3},
      {[](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }, 12},
      {[](double x) { return std::isnan(x) ? 0.0 : std::min(1.0, std::max(0.0, x)); }, 0},
      {[](double x) { return std::asinh(x); }, 4},
      {[](double x) {
         return (std::isnan(x) ? 1.0 : 0.0) + (std::isinf(x) ? 2 : 0) + (std::isfinite(x) ? 4 : 0) +
                (std::signbit(x) ? 8 : 0);
       },
       0},
      {[](double x) { return 1 / std::cbrt(x); }, 2}};
  std::vector<float> in = inputs(), out(in.size() * functions.size());
  run("math.cu", "unary", line(1, static_cast<std::int64_t>(in.size())), in, out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    for (std::size_t k = 0; k < functions.size(); ++k) {
      const double exact = functions[k].first(in[i]);
      const float actual = out[i * functions.size() + k];
      EXPECT_TRUE(is_near(actual, exact, functions[k].second))
          << "function " << k << " of " << in[i] << " is " << exact << ", not " << actual;
    }
  }
}

TEST_P(Math, fast_functions_are_nearly_exact) {
  constexpr std::size_t kResults = 12, kTangent = 8;
  std::vector<float> in(100), out(100 * kResults);
  for (std::size_t i = 0; i < 100; ++i) in[i] = 0.03f * static_cast<float>(i) + 0.1f;
  run("math.cu", "fast", line(1, 100), in, out);
  for (std::size_t i = 0; i < 100; ++i) {
    const double x = in[i];
    const double expected[kResults] = {std::exp(x),      std::log(x),  std::sin(x),   std::cos(x),
                                       std::pow(x, 1.5), x / 3,        std::sin(x),   std::cos(x),
                                       std::tan(x),      std::log2(x), std::log10(x), std::pow(10, x)};
    for (std::size_t k = 0; k < kResults; ++k) {
      // Near a pole the error of the small cosine dominates the tangent.
      const double of = k == kTangent ? expected[k] * expected[k] : std::abs(expected[k]);
      EXPECT_NEAR(out[i * kResults + k], expected[k], 1e-5 * (1 + of)) << "result " << k << " of " << x;
    }
  }
}

TEST_P(Math, computes_functions_of_two_numbers) {
  const std::vector<std::pair<Binary, double>> functions{
      {[](double x, double y) { return std::fma(x, y, -x); }, 0.5},
      {[](double x, double y) { return std::pow(x, y); }, 9},
      {[](double x, double y) { return std::atan2(x, y); }, 4},
      {[](double x, double y) { return std::fmod(x, y); }, 0},
      {[](double x, double y) { return std::hypot(x, y); }, 4},
      {[](double x, double y) { return std::fmin(x, y); }, 0},
      {[](double x, double y) { return std::fmax(x, y); }, 0},
      {[](double x, double y) { return std::fdim(x, y); }, 0.5},
      {[](double x, double y) { return std::copysign(x, y); }, 0},
      {[](double x, double y) { return std::remainder(x, y); }, 0},
      {[](double x, double y) { return std::fmin(x, y); }, 0},
      {[](double x, double y) { return std::fmax(x, y); }, 0},
      {[](double x, double y) { return (x + y) * 0 + x * y; }, 0.5},
      {[](double x, double y) { return x / y; }, 0.5},
      {[](double x, double) { return x * 8; }, 0},
      {[](double x, double) { return x * x; }, 2}};
  const std::vector<float> some{0.5f, -1.25f, 3.0f, 7.75f, -0.1f, 100.0f, kNan, 1e-3f};
  std::vector<float> a, b;
  for (const float x : some) {
    for (const float y : some) a.push_back(x), b.push_back(y);
  }
  std::vector<float> out(a.size() * functions.size());
  run("math.cu", "binary", line(1, static_cast<std::int64_t>(a.size())), a, b, out);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < functions.size(); ++k) {
      // The sign of a NaN is unspecified.
      if (k == 8 && std::isnan(b[i])) continue;
      const double exact = functions[k].first(a[i], b[i]);
      const float actual = out[i * functions.size() + k];
      EXPECT_TRUE(is_near(actual, exact, functions[k].second))
          << "function " << k << " of " << a[i] << " and " << b[i] << " is " << exact << ", not " << actual;
    }
  }
}

TEST_P(Math, computes_functions_of_doubles) {
  std::vector<double> a, b;
  for (int i = 0; i < 64; ++i) a.push_back(0.3 * i + 0.01), b.push_back(5 - 0.17 * i);
  std::vector<double> out(64 * 12);
  run("math.cu", "in_double", line(1, 64), a, b, out);
  for (std::size_t i = 0; i < 64; ++i) {
    const double x = a[i], y = b[i];
    const double expected[12] = {std::sqrt(x),    1 / std::sqrt(x),   std::exp(x),    std::log(x),
                                 std::sin(x),     std::fma(x, y, -x), std::pow(x, y), std::fmin(x, y),
                                 std::fmax(x, y), std::floor(x),      std::tanh(x),   x * y};
    for (std::size_t k = 0; k < 12; ++k) {
      EXPECT_TRUE(is_near(out[i * 12 + k], expected[k], 4))
          << "function " << k << " of " << x << " and " << y;
    }
  }
}

// A rounded number, limited to the range of T; 0 for NaN.
template <class T>
long long clamped(double whole) {
  if (std::isnan(whole)) return 0;
  if (whole >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    return static_cast<long long>(std::numeric_limits<T>::max());
  if (whole <= static_cast<double>(std::numeric_limits<T>::min()))
    return static_cast<long long>(std::numeric_limits<T>::min());
  return static_cast<long long>(static_cast<T>(whole));
}

TEST_P(Math, conversions_to_integers_saturate) {
  std::vector<float> in{0.0f,   0.5f, 1.5f,  -0.5f,  -1.5f, 2.7f,      -2.7f,     1e10f,
                        -1e10f, 3e9f, 1e20f, -1e20f, kNan,  kInfinity, 123456.5f, -7.0f};
  std::vector<long long> out(in.size() * 12);
  run("math.cu", "to_integers", line(1, static_cast<std::int64_t>(in.size())), in, out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double x = in[i];
    const bool is_small = std::abs(x) < 1e9;
    std::vector<long long> expected{clamped<int>(std::nearbyint(x)),
                                    clamped<int>(std::trunc(x)),
                                    clamped<int>(std::ceil(x)),
                                    clamped<int>(std::floor(x)),
                                    clamped<unsigned>(std::nearbyint(x)),
                                    clamped<unsigned>(std::trunc(x)),
                                    clamped<long long>(std::nearbyint(x)),
                                    clamped<unsigned long long>(std::trunc(x)),
                                    clamped<int>(std::nearbyint(x)),
                                    clamped<long long>(std::floor(x)),
                                    is_small ? std::llrint(x) : 0,
                                    is_small ? std::llround(x) : 0};
    if (std::isnan(x)) {
      constexpr auto kHighestBit = std::numeric_limits<long long>::min();
      expected[6] = expected[7] = expected[9] = kHighestBit;
      expected[8] = std::numeric_limits<int>::min();
    }
    const auto row = out.begin() + static_cast<long>(i * 12);
    EXPECT_EQ(std::vector<long long>(row, row + 12), expected) << x;
  }
}

TEST_P(Math, conversions_from_integers_round_as_their_names_say) {
  std::vector<long long> in{
      0,          1,           -1,         16777217,  -16777217,       16777219,
      2147483647, -2147483647, 4294967295, 1ll << 40, (1ll << 40) + 1, -(1ll << 53) - 1};
  std::vector<float> out(in.size() * 8);
  run("math.cu", "from_integers", line(1, static_cast<std::int64_t>(in.size())), in, out);
  const auto below = [](long double x) {
    const float nearest = static_cast<float>(x);
    return nearest > x ? std::nextafter(nearest, -kInfinity) : nearest;
  };
  const auto above = [](long double x) {
    const float nearest = static_cast<float>(x);
    return nearest < x ? std::nextafter(nearest, kInfinity) : nearest;
  };
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto narrow = static_cast<int>(in[i]);
    const auto natural = static_cast<unsigned>(in[i]);
    const std::vector<float> expected{static_cast<float>(narrow),
                                      narrow < 0 ? above(narrow) : below(narrow),
                                      above(narrow),
                                      below(narrow),
                                      below(natural),
                                      static_cast<float>(in[i]),
                                      below(static_cast<long double>(in[i])),
                                      above(static_cast<double>(in[i]) / 3.0)};
    const auto row = out.begin() + static_cast<long>(i * 8);
    EXPECT_EQ(std::vector<float>(row, row + 8), expected) << in[i];
  }
}

// The number r with forward(r) = y, as exactly as an error of `ulps` units in r allows.
bool is_inverse(double r, double y, const std::function<long double(long double)>& forward, double ulps) {
  const long double step = std::max(std::abs(r), 1e-300) * ulps * std::numeric_limits<double>::epsilon();
  const long double below = forward(r - step), above = forward(r + step);
  return std::min(below, above) <= y && y <= std::max(below, above);
}

TEST_P(Math, computes_special_functions) {
  const auto erf = [](long double x) { return std::erf(x); };
  const auto erfc = [](long double x) { return std::erfc(x); };
  const auto normcdf = [](long double x) { return std::erfc(-x / std::numbers::sqrt2_v<long double>) / 2; };
  std::vector<double> in{0.015625, 0.25, 0.5, 0.875, 1, 1.5, 1.96875, 2.5, 3.75, 6, 9.5, 15};
  std::vector<double> out(in.size() * 12);
  std::vector<float> narrow(out.size());
  run("math.cu", "special", line(1, static_cast<std::int64_t>(in.size())), in, out, narrow);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double x = in[i], *row = &out[i * 12];
    EXPECT_TRUE(is_inverse(row[0], x / 16, erf, 8)) << "erfinv of " << x / 16 << " is not " << row[0];
    if (x < 2 && x != 1) {
      EXPECT_TRUE(is_inverse(row[1], x, erfc, 8)) << "erfcinv of " << x << " is not " << row[1];
    }
    if (x < 4 && x != 2) {
      EXPECT_TRUE(is_inverse(row[2], x / 4, normcdf, 8)) << "normcdfinv of " << x / 4 << " is not " << row[2];
    }
    const auto wide = static_cast<long double>(x);
    EXPECT_TRUE(is_near(row[3], static_cast<double>(std::exp(wide * wide) * std::erfc(wide)), 8))
        << "erfcx " << x;
    const double bessel[] = {std::cyl_bessel_j(0, x), std::cyl_bessel_j(1, x), std::cyl_bessel_j(3, x),
                             std::cyl_neumann(0, x),  std::cyl_neumann(1, x),  std::cyl_neumann(2, x)};
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(row[4 + k], bessel[k], 2e-13 * (1 + std::abs(bessel[k]))) << k << ' ' << x;
    EXPECT_TRUE(is_near(row[10], std::cyl_bessel_i(0, x), 20)) << x;
    EXPECT_TRUE(is_near(row[11], std::cyl_bessel_i(1, x), 20)) << x;
    for (int k = 0; k < 12; ++k) {
      if (std::isnan(row[k])) {
        EXPECT_TRUE(std::isnan(narrow[i * 12 + k]));
      } else {
        EXPECT_NEAR(narrow[i * 12 + k], row[k], 4e-6 * (1e-2 + std::abs(row[k]))) << k << ' ' << x;
      }
    }
  }
}

TEST_P(Math, special_functions_have_their_limits) {
  std::vector<double> in{0, 2, 8, 32, 1e5}, out(5 * 12);
  std::vector<float> narrow(out.size());
  run("math.cu", "special", line(1, 5), in, out, narrow);
  const auto result = [&](std::size_t i, std::size_t k) { return out[i * 12 + k]; };
  EXPECT_EQ(result(0, 0), 0);          // erfinv(0)
  EXPECT_EQ(result(0, 1), INFINITY);   // erfcinv(0)
  EXPECT_EQ(result(1, 1), -INFINITY);  // erfcinv(2)
  EXPECT_TRUE(std::isnan(result(2, 0 + 1)));
  EXPECT_EQ(result(0, 2), -INFINITY);     // normcdfinv(0)
  EXPECT_EQ(result(1, 2), 0);             // normcdfinv(0.5)
  EXPECT_TRUE(std::isnan(result(3, 0)));  // erfinv(2)
  EXPECT_EQ(result(0, 3), 1);
  EXPECT_TRUE(is_near(result(4, 3), 1 / (1e5 * std::sqrt(std::numbers::pi)), 1e6));  // 1 - 1 / (2 x²)
  EXPECT_EQ(result(0, 7), -INFINITY);                                                // y0(0)
  EXPECT_EQ(result(0, 10), 1);
  EXPECT_EQ(result(4, 10), INFINITY);
}

TEST_P(Math, rounds_arithmetic_in_the_direction_of_its_name) {
  std::vector<double> a{1, 0.1, 3, 1e10, 2, 7.25, 123456789, 0.3},
      b{3, 0.7, -3.3, 1e-9, 0.1, -0.013, 1.1, 1e20};
  std::vector<double> out(a.size() * 28);
  std::vector<float> narrow(out.size());
  run("math.cu", "rounded", line(1, static_cast<std::int64_t>(a.size())), a, b, out, narrow);
  // Multiplied with the divisor, or squared, a quotient or a root is compared exactly enough.
  __extension__ using Exact = __float128;
  const auto check = [&]<class T>(const std::vector<T>& results) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Exact x = static_cast<T>(a[i]), y = static_cast<T>(b[i]);
      for (std::size_t op = 0; op < 7; ++op) {
        const T* row = &results[i * 28 + op];
        const T down = row[0], up = row[7], zero = row[14], nearest = row[21];
        const auto order = [&](T r) {  // of the result and the exact one
          const Exact q = r;
          const Exact difference = op == 0   ? q - (x + y)
                                   : op == 1 ? q - (x - y)
                                   : op == 2 ? q - x * y
                                   : op == 3 ? (q * y - x) * (y < 0 ? -1 : 1)
                                   : op == 4 ? q * x - 1
                                   : op == 5 ? q * q - x
                                             : q - (x * y + x);
          return difference < 0 ? -1 : difference > 0 ? 1 : 0;
        };
        EXPECT_LE(order(down), 0) << "operation " << op << " of " << a[i] << " and " << b[i];
        EXPECT_GE(order(up), 0) << "operation " << op << " of " << a[i] << " and " << b[i];
        EXPECT_TRUE(up == down || up == std::nextafter(down, std::numeric_limits<T>::infinity()));
        EXPECT_EQ(zero, down > 0 ? down : up);
        EXPECT_TRUE(nearest == down || nearest == up);
      }
    }
  };
  check(out);
  check(narrow);
}

GKTUNE_ON_EACH_RUNNER(Math);

}  // namespace
}  // namespace gktune
