// Integers as lanes of 16 or 8 bits: SIMD intrinsics, dot products and DPX.
#include <algorithm>
#include <cstdlib>
#include <random>

#include "tests/host/conformance.h"

namespace gktune {
namespace {

using Simd = Conformance;

constexpr std::size_t kCount = 256;

std::vector<unsigned> words(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<unsigned> all{0,           ~0u,         0x80008000u, 0x80808080u,
                            0x7fff7fffu, 0x7f7f7f7fu, 0x00ff00ffu, 0x01000001u};
  while (all.size() < kCount) all.push_back(static_cast<unsigned>(random()));
  std::shuffle(all.begin(), all.end(), random);
  return all;
}

// The lane of a word that begins at this bit.
int lane(unsigned word, int at, int bits, bool is_signed) {
  const int value = static_cast<int>(word >> at & ((1u << bits) - 1));
  return is_signed && value >> (bits - 1) != 0 ? value - (1 << bits) : value;
}

int wrapped(int x, int bits, bool is_signed) { return lane(static_cast<unsigned>(x), 0, bits, is_signed); }

int saturated(int x, int bits, bool is_signed) {
  return is_signed ? std::clamp(x, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
                   : std::clamp(x, 0, (1 << bits) - 1);
}

struct OfLanes {
  int bits;
  bool is_signed;
  int (*value)(int x, int y, int z, int bits, bool is_signed);
};

#define GKTUNE_FUNCTION(of_bits, of_signed, value)                                              \
  {                                                                                             \
    of_bits, of_signed,                                                                         \
        []([[maybe_unused]] int x, [[maybe_unused]] int y, [[maybe_unused]] int z,              \
           [[maybe_unused]] int bits, [[maybe_unused]] bool is_signed) -> int { return value; } \
  }

// Defines a function twice: for lanes of 16 bits and for lanes of 8 bits.
#define GKTUNE_OF_BOTH(of_signed, value) \
  GKTUNE_FUNCTION(16, of_signed, value), GKTUNE_FUNCTION(8, of_signed, value)

// In the order of the kernel's results.
const OfLanes kFunctions[] = {
    GKTUNE_OF_BOTH(true, (std::abs(x))),
    GKTUNE_OF_BOTH(true, (saturated(std::abs(x), bits, is_signed))),
    GKTUNE_OF_BOTH(true, (-x)),
    GKTUNE_OF_BOTH(true, (saturated(-x, bits, is_signed))),
    GKTUNE_OF_BOTH(true, (std::abs(x - y))),
    GKTUNE_OF_BOTH(true, (x + y)),
    GKTUNE_OF_BOTH(true, (saturated(x + y, bits, is_signed))),
    GKTUNE_OF_BOTH(true, (x - y)),
    GKTUNE_OF_BOTH(true, (saturated(x - y, bits, is_signed))),
    GKTUNE_OF_BOTH(true, (x + y < 0 ? (x + y - 1) / 2 : (x + y + 1) / 2)),
    GKTUNE_OF_BOTH(true, (std::max(x, y))),
    GKTUNE_OF_BOTH(true, (std::min(x, y))),
    GKTUNE_OF_BOTH(true, (x >= y ? -1 : 0)),
    GKTUNE_OF_BOTH(true, (x > y ? -1 : 0)),
    GKTUNE_OF_BOTH(true, (x <= y ? -1 : 0)),
    GKTUNE_OF_BOTH(true, (x < y ? -1 : 0)),
    GKTUNE_OF_BOTH(true, (x >= y)),
    GKTUNE_OF_BOTH(true, (x > y)),
    GKTUNE_OF_BOTH(true, (x <= y)),
    GKTUNE_OF_BOTH(true, (x < y)),
    GKTUNE_OF_BOTH(false, (std::abs(x - y))),
    GKTUNE_OF_BOTH(false, (saturated(x + y, bits, is_signed))),
    GKTUNE_OF_BOTH(false, (saturated(x - y, bits, is_signed))),
    GKTUNE_OF_BOTH(false, ((x + y + 1) / 2)),
    GKTUNE_OF_BOTH(false, ((x + y) / 2)),
    GKTUNE_OF_BOTH(false, (std::max(x, y))),
    GKTUNE_OF_BOTH(false, (std::min(x, y))),
    GKTUNE_OF_BOTH(false, (x == y ? -1 : 0)),
    GKTUNE_OF_BOTH(false, (x != y ? -1 : 0)),
    GKTUNE_OF_BOTH(false, (x >= y ? -1 : 0)),
    GKTUNE_OF_BOTH(false, (x > y ? -1 : 0)),
    GKTUNE_OF_BOTH(false, (x <= y ? -1 : 0)),
    GKTUNE_OF_BOTH(false, (x < y ? -1 : 0)),
    GKTUNE_OF_BOTH(false, (x == y)),
    GKTUNE_OF_BOTH(false, (x != y)),
    GKTUNE_OF_BOTH(false, (x >= y)),
    GKTUNE_OF_BOTH(false, (x > y)),
    GKTUNE_OF_BOTH(false, (x <= y)),
    GKTUNE_OF_BOTH(false, (x < y)),
    GKTUNE_FUNCTION(16, true, (std::max(wrapped(x + y, bits, is_signed), z))),
    GKTUNE_FUNCTION(16, true, (std::min(wrapped(x + y, bits, is_signed), z))),
    GKTUNE_FUNCTION(16, true, (std::max({x, y, z}))),
    GKTUNE_FUNCTION(16, true, (std::min({x, y, z}))),
    GKTUNE_FUNCTION(16, false, (std::max(wrapped(x + y, bits, is_signed), z))),
    GKTUNE_FUNCTION(16, false, (std::min(wrapped(x + y, bits, is_signed), z))),
    GKTUNE_FUNCTION(16, false, (std::max({x, y, z}))),
    GKTUNE_FUNCTION(16, false, (std::min({x, y, z}))),
    GKTUNE_FUNCTION(16, true, (std::max(std::max(wrapped(x + y, bits, is_signed), z), 0))),
    GKTUNE_FUNCTION(16, true, (std::max(std::min(wrapped(x + y, bits, is_signed), z), 0))),
    GKTUNE_FUNCTION(16, true, (std::max(std::max({x, y, z}), 0))),
    GKTUNE_FUNCTION(16, true, (std::max(std::min({x, y, z}), 0))),
    GKTUNE_FUNCTION(16, true, (std::max({x, y, 0}))),
    GKTUNE_FUNCTION(16, true, (std::max(std::min(x, y), 0))),
};

TEST_P(Simd, computes_each_lane_by_itself) {
  constexpr std::size_t kFunctionCount = std::size(kFunctions);
  std::vector<unsigned> a = words(1), b = words(2), c = words(3), out(kCount * kFunctionCount);
  run("simd.cu", "lanes", line(1, kCount), a, b, c, out);
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t k = 0; k < kFunctionCount; ++k) {
      const auto& [bits, is_signed, value] = kFunctions[k];
      unsigned expected = 0;
      for (int at = 0; at < 32; at += bits) {
        const int of_lane = value(lane(a[i], at, bits, is_signed), lane(b[i], at, bits, is_signed),
                                  lane(c[i], at, bits, is_signed), bits, is_signed);
        expected |= (static_cast<unsigned>(of_lane) & ((1u << bits) - 1)) << at;
      }
      ASSERT_EQ(out[i * kFunctionCount + k], expected)
          << "result " << k << " of " << std::hex << a[i] << ' ' << b[i] << ' ' << c[i];
    }
  }
}

unsigned sum_of_differences(unsigned x, unsigned y, int bits, bool is_signed) {
  int sum = 0;
  for (int at = 0; at < 32; at += bits)
    sum += std::abs(lane(x, at, bits, is_signed) - lane(y, at, bits, is_signed));
  return static_cast<unsigned>(sum);
}

// z + the products of the halves of x with two bytes of y.
unsigned dot(unsigned x, unsigned y, unsigned z, int first_byte, bool is_signed) {
  for (int i = 0; i < 2; ++i) {
    const std::int64_t product =
        std::int64_t{lane(x, 16 * i, 16, is_signed)} * lane(y, 8 * (first_byte + i), 8, is_signed);
    z += static_cast<unsigned>(product);
  }
  return z;
}

TEST_P(Simd, adds_lanes_and_says_which_of_two_numbers_it_took) {
  std::vector<unsigned> a = words(4), b = words(5), c = words(6), out(kCount * 20);
  for (std::size_t i = 0; i < kCount; i += 5) b[i] = a[i];
  run("simd.cu", "sums", line(1, kCount), a, b, c, out);
  for (std::size_t i = 0; i < kCount; ++i) {
    const unsigned x = a[i], y = b[i], z = c[i];
    const auto sx = static_cast<int>(x), sy = static_cast<int>(y), sz = static_cast<int>(z);
    const auto half = [](unsigned word, int at, bool is_signed) { return lane(word, at, 16, is_signed); };
    const auto both = [](int high, int low) {
      return static_cast<unsigned>(high) << 16 | (static_cast<unsigned>(low) & 0xffff);
    };
    const int xh = half(x, 16, true), xl = half(x, 0, true), yh = half(y, 16, true), yl = half(y, 0, true);
    const int uxh = half(x, 16, false), uxl = half(x, 0, false), uyh = half(y, 16, false),
              uyl = half(y, 0, false);
    const int plus_5 = static_cast<int>(x + 5);
    const std::vector<unsigned> expected{sum_of_differences(x, y, 16, true),
                                         sum_of_differences(x, y, 8, true),
                                         sum_of_differences(x, y, 16, false),
                                         sum_of_differences(x, y, 8, false),
                                         dot(x, y, z, 0, true),
                                         dot(x, y, z, 2, true),
                                         dot(x, y, z, 0, false),
                                         dot(x, y, z, 2, false),
                                         both(std::max(xh, yh), std::max(xl, yl)),
                                         (xh >= yh ? 2u : 0u) + (xl >= yl ? 1u : 0u),
                                         both(std::min(uxh, uyh), std::min(uxl, uyl)),
                                         (uxh <= uyh ? 2u : 0u) + (uxl <= uyl ? 1u : 0u),
                                         static_cast<unsigned>(std::max(sx, sy)),
                                         sx >= sy ? 1u : 0u,
                                         std::min(x, y),
                                         x <= y ? 1u : 0u,
                                         static_cast<unsigned>(std::max(plus_5, sz)),
                                         static_cast<unsigned>(std::max(std::min(plus_5, sz), 0)),
                                         std::max({x, y, z}),
                                         static_cast<unsigned>(std::max(std::min(sx, sy), 0))};
    const auto row = out.begin() + static_cast<long>(i * 20);
    ASSERT_EQ(std::vector<unsigned>(row, row + 20), expected) << std::hex << x << ' ' << y << ' ' << z;
  }
}

GKTUNE_ON_EACH_RUNNER(Simd);

}  // namespace
}  // namespace gktune
