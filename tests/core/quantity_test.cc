#include "tuner/core/quantity.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/expectations.h"

namespace gktune {
namespace {

TEST(Quantity, integers_may_have_binary_suffixes_and_be_hexadecimal) {
  EXPECT_EQ(*parse_integer("0"), 0);
  EXPECT_EQ(*parse_integer("-7"), -7);
  EXPECT_EQ(*parse_integer("+7"), 7);
  EXPECT_EQ(*parse_integer("007"), 7);
  EXPECT_EQ(*parse_integer("64Ki"), 65536);
  EXPECT_EQ(*parse_integer("-64Ki"), -65536);
  EXPECT_EQ(*parse_integer("1Mi"), 1 << 20);
  EXPECT_EQ(*parse_integer("2Gi"), std::int64_t{2} << 30);
  EXPECT_EQ(*parse_integer("3Ti"), std::int64_t{3} << 40);
  EXPECT_EQ(*parse_integer("0x40"), 64);
  EXPECT_EQ(*parse_integer("-0XfF"), -255);
  EXPECT_EQ(*parse_integer("0x2Ki"), 2048);
  EXPECT_EQ(*parse_integer("1e6"), 1000000);
  EXPECT_EQ(*parse_integer("2.0"), 2);
  EXPECT_EQ(*parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(*parse_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
}

TEST(Quantity, percentages_are_shares) {
  EXPECT_DOUBLE_EQ(*parse_percent("2%"), 0.02);
  EXPECT_DOUBLE_EQ(*parse_percent("0.5 %"), 0.005);
  EXPECT_DOUBLE_EQ(*parse_percent("150%"), 1.5);
  EXPECT_EQ(*parse_percent("0"), 0);
  for (const char* text : {"", "%", "2", "0.02", "-1%", "2%%", "2% ", "nan%", "inf%", "1e999%", "x%", "0 "}) {
    EXPECT_EQ(message_of(parse_percent(text)),
              "'" + std::string(text) + "' is not a percentage; write it as 2% or 0.5%");
  }
}

TEST(Quantity, malformed_integers_are_refused) {
  for (const char* text : {"",    "-",   "+",    "Mi",    "1.5",   "1M",    "1 Mi", "1Mi ", " 1",  "0x",
                           "0xg", "0b1", "--1",  "-+1",   "+-1",   "nan",   "inf",  "-inf", "ten", "1_0",
                           "_1",  "1_",  "1_Ki", "1KiKi", "1.5Ki", "1e400", "1e30", "1e",   "."}) {
    EXPECT_EQ(message_of(parse_integer(text)),
              "'" + std::string(text) + "' is not an integer; write it as 1048576, 1Mi or 1e6");
  }
  for (const char* text :
       {"99999999999999999999", "-9223372036854775809", "9000000000Gi", "0xffffffffffffffff"}) {
    EXPECT_EQ(parse_integer(text).error().message, "'" + std::string(text) + "' does not fit in 64 bits");
  }
}

TEST(Quantity, numbers_are_integers_or_reals_as_written) {
  EXPECT_EQ(*parse_number("64"), Value(64));
  EXPECT_EQ(*parse_number("1e6"), Value(1e6));
  EXPECT_TRUE(parse_number("1e6")->is_real());
  EXPECT_EQ(*parse_number("-.5"), Value(-0.5));
  EXPECT_EQ(*parse_number("2.5e-3"), Value(0.0025));
  for (const char* text : {"", "e5", "1..5", "1e5Ki", "0x1.5", "1.5.5", ".inf", "infinity", "5x"}) {
    const auto number = parse_number(text);
    ASSERT_FALSE(number.ok()) << text;
    EXPECT_EQ(number.error().message,
              "'" + std::string(text) + "' is not a number; write it as 65536, 64Ki, 0x40, 0.5 or 1e-3");
  }
  EXPECT_EQ(parse_number("1e999").error().message, "'1e999' does not fit in a double");
}

TEST(Quantity, counts_are_not_negative) {
  EXPECT_EQ(*parse_count("200"), 200);
  EXPECT_EQ(*parse_count("0"), 0);
  EXPECT_EQ(parse_count("-1").error().message, "'-1' is below 0");
}

TEST(Quantity, durations_have_units) {
  EXPECT_DOUBLE_EQ(*parse_seconds("0"), 0);
  EXPECT_DOUBLE_EQ(*parse_seconds("60"), 60);
  EXPECT_DOUBLE_EQ(*parse_seconds("0.5"), 0.5);
  EXPECT_DOUBLE_EQ(*parse_seconds(".5s"), 0.5);
  EXPECT_DOUBLE_EQ(*parse_seconds("250us"), 250e-6);
  EXPECT_DOUBLE_EQ(*parse_seconds("500ms"), 0.5);
  EXPECT_DOUBLE_EQ(*parse_seconds("60s"), 60);
  EXPECT_DOUBLE_EQ(*parse_seconds("60 s"), 60);
  EXPECT_DOUBLE_EQ(*parse_seconds("2m"), 120);
  EXPECT_DOUBLE_EQ(*parse_seconds("2min"), 120);
  EXPECT_DOUBLE_EQ(*parse_seconds("1.5m"), 90);
  EXPECT_DOUBLE_EQ(*parse_seconds("1h"), 3600);
  EXPECT_DOUBLE_EQ(*parse_seconds("1d"), 86400);
  EXPECT_DOUBLE_EQ(*parse_seconds("1e-3s"), 1e-3);
}

TEST(Quantity, malformed_durations_are_refused) {
  for (const char* text : {"", " ", "s", "60x", "-1", "-5s", "+5s", "1m30", "1h30m", "30 1h", "1..5s", "inf",
                           "nan", "1 0 s", "5S", "2minutes", "1h,30m", "0x10s", "soon"}) {
    EXPECT_EQ(message_of(parse_seconds(text)),
              "'" + std::string(text) + "' is not a duration; write it as 60s, 500ms, 2min, 1h or 7d");
  }
  EXPECT_EQ(parse_seconds("1e300h").error().message, "'1e300h' is longer than 900 years");
  EXPECT_EQ(parse_seconds("1e308d").error().message, "'1e308d' is longer than 900 years");
}

TEST(Quantity, the_text_of_a_value_decides_its_kind) {
  EXPECT_EQ(parse_value("1Mi"), Value(1 << 20));
  EXPECT_EQ(parse_value("0.5"), Value(0.5));
  EXPECT_EQ(parse_value("true"), Value(true));
  EXPECT_EQ(parse_value("float"), Value("float"));
  EXPECT_EQ(parse_value("inf"), Value("inf"));
}

TEST(Quantity, sizes_are_formatted_as_users_write_them) {
  for (const char* text : {"0", "1000", "64Ki", "1Mi", "1Gi", "1025Ki", "-4Ki", "2Ti"}) {
    EXPECT_EQ(format_size(*parse_integer(text)), text);
  }
}

TEST(Quantity, counts_have_thousands_separators) {
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1048576), "1,048,576");
  EXPECT_EQ(format_count(-1000), "-1,000");
  EXPECT_EQ(format_count("2415919104000000000000"), "2,415,919,104,000,000,000,000");
}

}  // namespace
}  // namespace gktune
