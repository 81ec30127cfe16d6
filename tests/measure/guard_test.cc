#include "tuner/measure/guard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gktune {
namespace {

TEST(Guard, an_untouched_zone_is_whole) {
  std::vector<std::byte> zone(kGuardBytes);
  fill_guard(zone);
  EXPECT_EQ(guard_violation(zone), std::nullopt);
}

TEST(Guard, the_first_byte_written_is_found) {
  std::vector<std::byte> zone(kGuardBytes);
  for (std::size_t at : {std::size_t{0}, std::size_t{100}, kGuardBytes - 1}) {
    fill_guard(zone);
    zone[at] ^= std::byte{1};
    zone.back() ^= std::byte{0x80};
    EXPECT_EQ(guard_violation(zone), at);
  }
}

TEST(Guard, writing_one_byte_all_over_is_always_seen) {
  std::vector<std::byte> zone(16);
  for (int value = 0; value < 256; ++value) {
    std::ranges::fill(zone, static_cast<std::byte>(value));
    EXPECT_TRUE(guard_violation(zone).has_value()) << value;
  }
}

}  // namespace
}  // namespace gktune
