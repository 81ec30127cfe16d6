#include "tuner/space/solver/count.h"

#include <gtest/gtest.h>

#include <limits>

namespace gktune {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(Count, is_exact_beyond_64_bits) {
  Count count = kMost;
  ++count;
  EXPECT_EQ(count.str(), "18446744073709551616");
  EXPECT_EQ(count.bits(), 65u);
  EXPECT_TRUE(count == Count(1) << 64);
  EXPECT_TRUE(count > kMost);
  EXPECT_TRUE(count * 1000 / count - 1 == 999);
  EXPECT_TRUE((count * 7 + 5) / 7 == count);
}

TEST(Count, stays_at_the_greatest_number_of_128_bits) {
  const Count count = Count(1) << 64, greatest = count * count;
  EXPECT_EQ(greatest.str(), "340282366920938463463374607431768211455");
  EXPECT_TRUE(greatest + 1 == greatest);
  EXPECT_TRUE((count - 1) * (count + 1) == greatest);
}

}  // namespace
}  // namespace gktune
