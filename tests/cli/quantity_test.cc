#include "cli/quantity.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

TEST(Quantity, integers_are_read_with_binary_suffixes) {
  EXPECT_EQ(*parse_integer("0"), 0);
  EXPECT_EQ(*parse_integer("-7"), -7);
  EXPECT_EQ(*parse_integer("64Ki"), 65536);
  EXPECT_EQ(*parse_integer("1Mi"), 1 << 20);
  EXPECT_EQ(*parse_integer("2Gi"), std::int64_t{2} << 30);
  EXPECT_EQ(*parse_integer("3Ti"), std::int64_t{3} << 40);
  EXPECT_EQ(*parse_integer("1e6"), 1000000);
}

TEST(Quantity, what_is_no_integer_is_refused_in_words) {
  for (const char* text : {"", "Mi", "1.5", "1M", "1 Mi", "0x10", "nan", "ten", "1Mi "}) {
    auto value = parse_integer(text);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.error().message,
              "'" + std::string(text) + "' is not an integer; write it as 1048576, 1Mi or 1e6");
  }
  EXPECT_EQ(parse_integer("99999999999999999999").error().message,
            "'99999999999999999999' does not fit in 64 bits");
  EXPECT_EQ(parse_integer("9000000000Gi").error().message, "'9000000000Gi' does not fit in 64 bits");
}

TEST(Quantity, counts_are_not_negative) {
  EXPECT_EQ(*parse_count("200"), 200);
  EXPECT_EQ(parse_count("-1").error().message, "'-1' is below 0");
}

TEST(Quantity, durations_are_read_with_units) {
  EXPECT_DOUBLE_EQ(*parse_seconds("60"), 60);
  EXPECT_DOUBLE_EQ(*parse_seconds("0.5"), 0.5);
  EXPECT_DOUBLE_EQ(*parse_seconds("60s"), 60);
  EXPECT_DOUBLE_EQ(*parse_seconds("500ms"), 0.5);
  EXPECT_DOUBLE_EQ(*parse_seconds("1h30m"), 5400);
  EXPECT_DOUBLE_EQ(*parse_seconds("1.5m"), 90);
}

TEST(Quantity, what_is_no_duration_is_refused_in_words) {
  for (const char* text : {"", "s", "60x", "-1", "1m30", "1..5s", "inf", "60 s"}) {
    auto seconds = parse_seconds(text);
    ASSERT_FALSE(seconds.ok()) << text;
    EXPECT_EQ(seconds.error().message,
              "'" + std::string(text) + "' is not a duration; write it as 60s, 500ms, 2m or 1h30m");
  }
}

TEST(Quantity, values_are_what_they_read_as) {
  EXPECT_EQ(parse_value("1Mi"), Value(1 << 20));
  EXPECT_EQ(parse_value("0.5"), Value(0.5));
  EXPECT_EQ(parse_value("true"), Value(true));
  EXPECT_EQ(parse_value("float"), Value("float"));
}

TEST(Quantity, sizes_are_shown_as_they_are_typed) {
  for (const char* text : {"0", "1000", "64Ki", "1Mi", "1Gi", "1025Ki", "-4Ki", "2Ti"}) {
    EXPECT_EQ(format_size(*parse_integer(text)), text);
  }
}

TEST(Quantity, times_keep_three_digits) {
  EXPECT_EQ(format_time_us(0.8124), "812 ns");
  EXPECT_EQ(format_time_us(1), "1.00 µs");
  EXPECT_EQ(format_time_us(9.996), "10.0 µs");
  EXPECT_EQ(format_time_us(12.44), "12.4 µs");
  EXPECT_EQ(format_time_us(812.4), "812 µs");
  EXPECT_EQ(format_time_us(3214), "3.21 ms");
  EXPECT_EQ(format_time_us(1204000), "1.20 s");
}

TEST(Quantity, durations_are_shown_with_the_units_that_matter) {
  EXPECT_EQ(format_seconds(0.25), "250 ms");
  EXPECT_EQ(format_seconds(2.25), "2.2 s");
  EXPECT_EQ(format_seconds(45.4), "45 s");
  EXPECT_EQ(format_seconds(125), "2 m 05 s");
  EXPECT_EQ(format_seconds(3725), "1 h 02 m");
}

TEST(Quantity, bytes_and_counts_and_numbers_are_readable) {
  EXPECT_EQ(format_bytes(100), "100 B");
  EXPECT_EQ(format_bytes(49152), "48 KiB");
  EXPECT_EQ(format_bytes(149786984448), "139.5 GiB");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1048576), "1,048,576");
  EXPECT_EQ(format_count(-1000), "-1,000");
  EXPECT_EQ(format_count("2415919104000000000000"), "2,415,919,104,000,000,000,000");
  EXPECT_EQ(format_number(4613.4), "4613");
  EXPECT_EQ(format_number(12.3456), "12.35");
  EXPECT_EQ(format_number(0.98765), "0.9877");
  EXPECT_EQ(format_percent(0.0123), "1.2 %");
  EXPECT_EQ(format_date(1717176000000), "2024-05-31 17:20");
}

}  // namespace
}  // namespace gktune
