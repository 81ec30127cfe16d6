#include "tuner/space/solver/count.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace gktune {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(Count, is_exact_beyond_64_bits) {
  Count count = kMost;
  ++count;
  EXPECT_EQ(count.str(), "18446744073709551616");
  EXPECT_EQ(count, Count(1) << 64);
  EXPECT_EQ(count * 1000 / count - 1, 999);
  EXPECT_EQ((count * 7 + 5) / 7, count);
}

TEST(Count, compares_like_a_number) {
  const Count large("100000000000000000000"), larger("100000000000000000001");
  EXPECT_LT(large, larger);
  EXPECT_LT(kMost, large);
  EXPECT_EQ(larger - large, 1);
  EXPECT_NE(large, larger);
}

TEST(Count, has_as_many_bits_as_it_needs) {
  EXPECT_EQ(Count().bits(), 0u);
  EXPECT_EQ(Count(1).bits(), 1u);
  EXPECT_EQ(Count(kMost).bits(), 64u);
  EXPECT_EQ((Count(1) << 100).bits(), 101u);
}

TEST(Count, stays_at_the_greatest_number_of_128_bits) {
  const Count count = Count(1) << 64, greatest = count * count;
  EXPECT_EQ(greatest.str(), "340282366920938463463374607431768211455");
  EXPECT_EQ(greatest + 1, greatest);
  EXPECT_EQ(Count(std::string(1000, '9')), greatest);
  EXPECT_EQ((count - 1) * (count + 1), greatest);
}

TEST(Count, converts_to_integers_and_text) {
  EXPECT_EQ(static_cast<std::uint64_t>(Count(kMost)), kMost);
  EXPECT_EQ(static_cast<int>(Count("42")), 42);
  std::ostringstream text;
  text << Count("123456789012345678901234567890");
  EXPECT_EQ(text.str(), "123456789012345678901234567890");
}

}  // namespace
}  // namespace gktune
