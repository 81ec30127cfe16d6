#include "tuner/measure/element.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace gktune {
namespace {

std::uint64_t stored(ElementType type, double value) {
  std::byte bytes[8]{};
  store_real(type, bytes, value);
  return load_bits(type, bytes);
}

double loaded(ElementType type, std::uint64_t bits) {
  std::byte bytes[8]{};
  store_bits(type, bytes, bits);
  return load_real(type, bytes);
}

TEST(Element, halves_have_the_bits_of_ieee) {
  constexpr auto kHalf = ElementType::float16;
  EXPECT_EQ(stored(kHalf, 1), 0x3c00u);
  EXPECT_EQ(stored(kHalf, -2), 0xc000u);
  EXPECT_EQ(stored(kHalf, 65504), 0x7bffu);
  EXPECT_EQ(stored(kHalf, 65520), 0x7c00u);  // rounds to infinity
  EXPECT_EQ(stored(kHalf, 65519), 0x7bffu);
  EXPECT_EQ(stored(kHalf, 1e300), 0x7c00u);
  EXPECT_EQ(stored(kHalf, 5.9604644775390625e-08), 0x0001u);  // the smallest
  EXPECT_EQ(stored(kHalf, 2.98e-08), 0x0000u);
  EXPECT_EQ(stored(kHalf, 0.1), 0x2e66u);
  EXPECT_EQ(stored(kHalf, 1 + 1.0 / 2048), 0x3c00u);  // ties go to even
  EXPECT_EQ(stored(kHalf, 1 + 3.0 / 2048), 0x3c02u);
  EXPECT_EQ(stored(kHalf, 2 - 1.0 / 4096), 0x4000u);  // carries into the exponent
}

TEST(Element, every_small_float_is_converted_to_double_and_back_exactly) {
  for (ElementType type :
       {ElementType::float16, ElementType::bfloat16, ElementType::float8_e4m3, ElementType::float8_e5m2}) {
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (8 * element_size(type)); ++bits) {
      const double value = loaded(type, bits);
      if (std::isnan(value) || value == 0) continue;
      ASSERT_EQ(stored(type, value), bits) << value;
    }
    EXPECT_TRUE(std::isnan(loaded(type, stored(type, std::nan("")))));
  }
}

TEST(Element, e4m3_has_no_infinities_and_ends_at_448) {
  const std::pair<double, std::uint64_t> known[] = {
      {1, 0x38},    {0x1p-9, 0x01}, {240, 0x77}, {244, 0x77}, {248, 0x78}, {256, 0x78},
      {-280, 0xf9}, {272, 0x78},    {304, 0x7a}, {448, 0x7e}, {500, 0x7e}, {-INFINITY, 0xfe}};
  for (const auto& [value, bits] : known) EXPECT_EQ(stored(ElementType::float8_e4m3, value), bits) << value;
  EXPECT_EQ(loaded(ElementType::float8_e4m3, 0x7e), 448);
  EXPECT_EQ(loaded(ElementType::float8_e4m3, 0xf8), -256);
  EXPECT_TRUE(std::isnan(loaded(ElementType::float8_e4m3, 0xff)));
}

TEST(Element, e5m2_is_the_upper_half_of_a_half) {
  for (double value : {1.0, -1.75, 57344.0, 0x1p-16}) {
    EXPECT_EQ(stored(ElementType::float8_e5m2, value), stored(ElementType::float16, value) >> 8) << value;
  }
  EXPECT_EQ(loaded(ElementType::float8_e5m2, 0x7c), INFINITY);
}

TEST(Element, bfloat16_is_the_upper_half_of_a_float) {
  for (float value : {1.0f, -3.140625f, 1e-40f, 3e38f}) {
    const std::uint32_t upper = std::bit_cast<std::uint32_t>(value) & 0xffff0000u;
    const auto cut = static_cast<double>(std::bit_cast<float>(upper));
    EXPECT_EQ(stored(ElementType::bfloat16, cut), upper >> 16) << value;
    EXPECT_EQ(loaded(ElementType::bfloat16, upper >> 16), cut);
  }
}

TEST(Element, integers_are_widened_with_their_sign) {
  std::byte bytes[8]{};
  store_bits(ElementType::int16, bytes, static_cast<std::uint64_t>(-5));
  EXPECT_EQ(static_cast<std::int64_t>(load_bits(ElementType::int16, bytes)), -5);
  EXPECT_EQ(load_bits(ElementType::uint16, bytes), 65531u);
}

TEST(Element, texts_are_the_shortest_that_identify_a_value) {
  std::byte bytes[8]{};
  store_real(ElementType::float32, bytes, 0.1);
  EXPECT_EQ(element_text(ElementType::float32, bytes), "0.1");
  store_real(ElementType::float64, bytes, 1.0 / 3);
  EXPECT_EQ(element_text(ElementType::float64, bytes), "0.3333333333333333");
  store_bits(ElementType::int8, bytes, static_cast<std::uint64_t>(-1));
  EXPECT_EQ(element_text(ElementType::int8, bytes), "-1");
  EXPECT_EQ(element_text(ElementType::uint8, bytes), "255");
}

}  // namespace
}  // namespace gktune
