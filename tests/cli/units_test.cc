#include "cli/output/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace gktune {
namespace {

TEST(Units, times_keep_three_digits) {
  EXPECT_EQ(format_time_us(0.8124), "812 ns");
  EXPECT_EQ(format_time_us(1), "1.00 µs");
  EXPECT_EQ(format_time_us(9.996), "10.0 µs");
  EXPECT_EQ(format_time_us(12.44), "12.4 µs");
  EXPECT_EQ(format_time_us(812.4), "812 µs");
  EXPECT_EQ(format_time_us(3214), "3.21 ms");
  EXPECT_EQ(format_time_us(1204000), "1.20 s");
}

TEST(Units, durations_are_shown_in_fitting_units) {
  EXPECT_EQ(format_seconds(0.25), "250 ms");
  EXPECT_EQ(format_seconds(2.25), "2.2 s");
  EXPECT_EQ(format_seconds(45.4), "45 s");
  EXPECT_EQ(format_seconds(125), "2 m 05 s");
  EXPECT_EQ(format_seconds(3725), "1 h 02 m");
}

TEST(Units, bytes_and_numbers_are_readable) {
  EXPECT_EQ(format_bytes(100), "100 B");
  EXPECT_EQ(format_bytes(49152), "48 KiB");
  EXPECT_EQ(format_bytes(149786984448), "139.5 GiB");
  EXPECT_EQ(format_number(4613.4), "4613");
  EXPECT_EQ(format_number(12.3456), "12.35");
  EXPECT_EQ(format_number(0.98765), "0.9877");
  EXPECT_EQ(format_percent(0.0123), "1.2 %");
  EXPECT_EQ(format_date(1717176000000), "2024-05-31 17:20");
  for (const std::int64_t unknown :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()})
    EXPECT_EQ(format_date(unknown), "-");
}

TEST(Units, bars_grow_in_eighths_of_a_character) {
  EXPECT_EQ(bar(1, 3), "███");
  EXPECT_EQ(bar(0.5, 3), "█▌");
  EXPECT_EQ(bar(0, 3), "");
  EXPECT_EQ(bar(std::numeric_limits<double>::quiet_NaN(), 3), "");
}

}  // namespace
}  // namespace gktune
