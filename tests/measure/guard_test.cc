#include "tuner/measure/contents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gktune {
namespace {

TEST(Guard, an_unchanged_zone_has_no_violation) {
  std::vector<std::byte> zone(kGuardBytes);
  fill_guard(zone, 1);
  EXPECT_EQ(guard_violation(zone, 1), std::nullopt);
}

TEST(Guard, the_first_byte_written_is_found) {
  std::vector<std::byte> zone(kGuardBytes);
  for (std::size_t at : {std::size_t{0}, std::size_t{100}, kGuardBytes - 1}) {
    fill_guard(zone, 1);
    zone[at] ^= std::byte{1};
    zone.back() ^= std::byte{0x80};
    EXPECT_EQ(guard_violation(zone, 1), at);
  }
}

TEST(Guard, filling_a_zone_with_one_byte_is_always_found) {
  std::vector<std::byte> zone(16);
  for (int value = 0; value < 256; ++value) {
    std::ranges::fill(zone, static_cast<std::byte>(value));
    EXPECT_TRUE(guard_violation(zone, 1).has_value()) << value;
  }
}

TEST(Guard, every_byte_copied_from_another_zone_is_found) {
  for (int other = 1; other < 256; ++other) {
    std::vector<std::byte> zone(kGuardBytes);
    fill_guard(zone, static_cast<GuardPattern>(other));
    for (const std::size_t at : {std::size_t{0}, std::size_t{7}, kGuardBytes - 1}) {
      std::vector<std::byte> own(kGuardBytes);
      fill_guard(own, 0);
      own[at] = zone[at];
      EXPECT_EQ(guard_violation(own, 0), at) << other;
    }
  }
}

}  // namespace
}  // namespace gktune
