#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "tests/host/conformance.h"

namespace gktune {
namespace {

using Integers = Conformance;

constexpr std::size_t kCount = 256;

std::vector<unsigned> words(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<unsigned> all{0, 1, ~0u, 0x80000000u, 0x7fffffffu, 0x00ff00ffu, 0x12345678u, 0xffu};
  while (all.size() < kCount) all.push_back(static_cast<unsigned>(random()) >> random() % 32);
  std::shuffle(all.begin(), all.end(), random);
  return all;
}

// Computed bit by bit, without builtins.
template <class W>
struct BitCounts {
  unsigned ones = 0, leading = 0, first = 0;
  W reversed = 0;
  explicit BitCounts(W x) {
    constexpr unsigned kBits = sizeof(W) * 8;
    leading = kBits;
    for (unsigned i = 0; i < kBits; ++i) {
      if ((x >> i & 1) == 0) continue;
      ++ones;
      leading = kBits - 1 - i;
      if (first == 0) first = i + 1;
      reversed |= W{1} << (kBits - 1 - i);
    }
  }
};

unsigned shifted(unsigned low, unsigned high, unsigned shift, char direction) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return direction == 'l' ? static_cast<unsigned>(both << shift >> 32) : static_cast<unsigned>(both >> shift);
}

TEST_P(Integers, compute_bits_products_and_shifts) {
  std::vector<unsigned> a = words(1), b = words(2), c = words(3), out(kCount * 24);
  run("integers.cu", "bits", line(1, kCount), a, b, c, out);
  for (std::size_t i = 0; i < kCount; ++i) {
    const unsigned x = a[i], y = b[i], z = c[i];
    const std::uint64_t wide = std::uint64_t{x} << 32 | y;
    const BitCounts<std::uint32_t> bits(x);
    const BitCounts<std::uint64_t> wide_bits(wide);
    const auto sx = static_cast<int>(x), sy = static_cast<int>(y);
    const auto sign24 = [](unsigned v) {
      const auto low = static_cast<std::int64_t>(v & 0xffffff);
      return low >= 0x800000 ? low - 0x1000000 : low;
    };
    unsigned permuted = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned choice = z >> 4 * k & 7;
      permuted |= (static_cast<unsigned>((std::uint64_t{y} << 32 | x) >> 8 * choice) & 0xff) << 8 * k;
    }
    int dot = static_cast<int>(z);
    for (int k = 0; k < 4; ++k) {
      dot = static_cast<int>(
          static_cast<unsigned>(dot) +
          static_cast<unsigned>(static_cast<std::int8_t>(x >> 8 * k) * static_cast<std::int8_t>(y >> 8 * k)));
    }
    __extension__ using Wide = __int128;
    __extension__ using UnsignedWide = unsigned __int128;
    const std::uint64_t high = static_cast<std::uint64_t>((UnsignedWide{wide} * (wide + z)) >> 64);
    const auto signed_high = static_cast<std::uint64_t>(
        static_cast<UnsignedWide>(Wide{static_cast<std::int64_t>(wide)} * static_cast<std::int64_t>(z)) >>
        64);
    const std::int64_t difference = std::int64_t{sx} - sy;
    const unsigned expected[24] = {
        bits.ones,
        bits.leading,
        bits.first,
        bits.reversed,
        wide_bits.ones,
        wide_bits.leading,
        wide_bits.first,
        static_cast<unsigned>(wide_bits.reversed >> 32),
        permuted,
        shifted(x, y, z % 32, 'l'),
        shifted(x, y, z % 32, 'r'),
        shifted(x, y, std::min(z & 63, 32u), 'l'),
        shifted(x, y, std::min(z & 63, 32u), 'r'),
        static_cast<unsigned>(sign24(x) * sign24(y)),
        static_cast<unsigned>((x & 0xffffff) * std::uint64_t{y & 0xffffff}),
        static_cast<unsigned>(static_cast<std::uint64_t>(std::int64_t{sx} * sy) >> 32),
        static_cast<unsigned>(std::uint64_t{x} * y >> 32),
        static_cast<unsigned>(high >> 32),
        static_cast<unsigned>(signed_high),
        z + static_cast<unsigned>(difference < 0 ? -difference : difference),
        z + (x > y ? x - y : y - x),
        static_cast<unsigned>((std::int64_t{sx} + sy) >> 1),
        static_cast<unsigned>((std::uint64_t{x} + y) >> 1),
        static_cast<unsigned>(dot)};
    for (std::size_t k = 0; k < 24; ++k) {
      ASSERT_EQ(out[i * 24 + k], expected[k])
          << "result " << k << " of " << std::hex << x << ' ' << y << ' ' << z;
    }
  }
}

TEST_P(Integers, compute_the_minimum_and_maximum_of_mixed_types) {
  const std::vector<unsigned> x = words(4), y = words(5);
  std::vector<int> a(x.begin(), x.end()), b(y.begin(), y.end());
  for (int& each : a) each = each == std::numeric_limits<int>::min() ? 0 : each;
  std::vector<long long> out(kCount * 8);
  run("integers.cu", "minimum_maximum", line(1, kCount), a, b, out);
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto ua = static_cast<unsigned>(a[i]), ub = static_cast<unsigned>(b[i]);
    const std::vector<long long> expected{std::min(a[i], b[i]), std::max(a[i], b[i]),
                                          std::min(ua, ub),     std::max(ua, ub),
                                          std::min(ua, ub),     std::max<long long>(a[i], 3ll * b[i]),
                                          std::abs(a[i]),       std::min(ua, ub)};
    const auto row = out.begin() + static_cast<long>(i * 8);
    ASSERT_EQ(std::vector<long long>(row, row + 8), expected);
  }
}

TEST_P(Integers, find_the_nth_bit_that_is_set) {
  std::vector<unsigned> mask, base;
  std::vector<int> offset;
  for (const unsigned x : words(4)) {
    mask.push_back(x);
    base.push_back(x % 32);
    offset.push_back(static_cast<int>(mask.size() % 9) - 4);
  }
  std::vector<unsigned> out(kCount), expected;
  run("integers.cu", "nth_bits", line(1, kCount), mask, base, offset, out);
  for (std::size_t i = 0; i < kCount; ++i) {
    std::vector<unsigned> bits;  // those in the offset's direction, the base the first of them
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((mask[i] >> bit & 1) != 0 && (offset[i] < 0 ? bit <= base[i] : bit >= base[i])) bits.push_back(bit);
    }
    if (offset[i] < 0) std::reverse(bits.begin(), bits.end());
    if (offset[i] == 0 && (bits.empty() || bits[0] != base[i])) bits.clear();
    const std::size_t n = offset[i] == 0 ? 0 : static_cast<std::size_t>(std::abs(offset[i])) - 1;
    expected.push_back(n < bits.size() ? bits[n] : ~0u);
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Integers, reinterpret_bits) {
  std::vector<float> in{0.0f, -0.0f, 1.5f, -2e30f, 1e-40f, INFINITY, 3.14159f, -1e-3f};
  std::vector<int> out(in.size() * 6);
  run("integers.cu", "reinterpretations", line(1, static_cast<std::int64_t>(in.size())), in, out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto wide = std::bit_cast<std::uint64_t>(static_cast<double>(in[i]));
    EXPECT_EQ(out[i * 6], std::bit_cast<int>(in[i]));
    EXPECT_EQ(out[i * 6 + 1], std::bit_cast<int>(-in[i]));
    EXPECT_EQ(out[i * 6 + 2], 1);
    EXPECT_EQ(out[i * 6 + 3], static_cast<int>(wide >> 32));
    EXPECT_EQ(out[i * 6 + 4], static_cast<int>(wide));
    EXPECT_EQ(out[i * 6 + 5], 1);
  }
}

GKTUNE_ON_EACH_RUNNER(Integers);

}  // namespace
}  // namespace gktune
