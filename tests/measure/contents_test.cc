#include "tuner/measure/contents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tuner/measure/element.h"
#include "tuner/measure/generator.h"
#include "tuner/measure/verdict.h"

namespace gktune {
namespace {

ContentsPlan plan_of(ContentsKind kind, double a = 0, double b = 0, std::uint64_t seed = 1) {
  return {kind, a, b, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b), seed, {}};
}

template <class T>
std::vector<T> filled(ElementType type, const ContentsPlan& plan, std::size_t count) {
  std::vector<T> values(count, T{42});
  Result<void> result = fill_contents(type, plan, std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(result.ok()) << result.error().message;
  return values;
}

std::string message_of(ElementType type, const ContentsPlan& plan) {
  std::vector<std::byte> bytes(64);
  Result<void> result = fill_contents(type, plan, bytes);
  return result.ok() ? "" : result.error().message;
}

TEST(Generator, the_bits_never_change) {
  EXPECT_EQ(mixed_bits(0x9e3779b97f4a7c15ull), 0xe220a8397b1dcdafull);  // SplitMix64's published first output
  EXPECT_EQ(random_bits(1, 0), 0x5e41ab087439611eull);
  EXPECT_EQ(random_bits(1, 1ull << 40), 0x5583de2ce02a6b7ull);
}

TEST(Generator, uniform_integers_cover_exactly_their_range) {
  std::vector<int> counts(7);
  for (unsigned i = 0; i < 7000; ++i) {
    const auto value = static_cast<std::int64_t>(
        uniform_integer(3, i, static_cast<std::uint64_t>(-3), static_cast<std::uint64_t>(3)));
    ASSERT_GE(value, -3);
    ASSERT_LE(value, 3);
    ++counts[static_cast<std::size_t>(value + 3)];
  }
  for (int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Generator, the_whole_range_of_64_bits_is_uniform_too) {
  EXPECT_EQ(uniform_integer(5, 9, 0, UINT64_MAX), random_bits(5, 9));
}

TEST(Generator, the_high_product_is_that_of_128_bits) {
  EXPECT_EQ(product_high(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1);
  EXPECT_EQ(product_high(1ull << 63, 6), 3u);
  EXPECT_EQ(product_high(0x123456789abcdef0ull, 0xfedcba9876543210ull), 0x121fa00ad77d7422ull);
}

TEST(Generator, computes_logarithm_and_cosine_correctly) {
  for (unsigned i = 0; i < 2000; ++i) {
    const double u = 1 - unit_uniform(7, i);
    EXPECT_NEAR(plain_log(u), std::log(u), 1e-14 * std::max(1.0, std::abs(std::log(u))));
    EXPECT_NEAR(cosine_of_turns(1 - u), std::cos(2 * M_PI * (1 - u)), 2e-15);
  }
  EXPECT_NEAR(plain_log(0x1p-53), std::log(0x1p-53), 1e-13);
  EXPECT_DOUBLE_EQ(cosine_of_turns(0), 1);
  EXPECT_DOUBLE_EQ(cosine_of_turns(0.5), -1);
}

TEST(Contents, an_element_depends_only_on_the_seed_and_its_index) {
  const auto plan = plan_of(ContentsKind::uniform, -1, 1, 9);
  const auto all = filled<float>(ElementType::float32, plan, 1000),
             few = filled<float>(ElementType::float32, plan, 10);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin()));
  EXPECT_NE(all, filled<float>(ElementType::float32, plan_of(ContentsKind::uniform, -1, 1, 10), 1000));
}

TEST(Contents, normal_numbers_have_the_mean_and_deviation_asked_for) {
  const auto values = filled<double>(ElementType::float64, plan_of(ContentsKind::normal, 10, 2), 20000);
  double sum = 0, squares = 0;
  for (double value : values) sum += value, squares += (value - 10) * (value - 10);
  EXPECT_NEAR(sum / 20000, 10, 0.06);
  EXPECT_NEAR(std::sqrt(squares / 20000), 2, 0.05);
}

TEST(Contents, normal_integers_are_rounded_and_stay_within_their_type) {
  const auto values = filled<std::uint8_t>(ElementType::uint8, plan_of(ContentsKind::normal, 250, 20), 1000);
  EXPECT_EQ(*std::ranges::max_element(values), 255);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(values, 255)), 400, 60);
  const auto small = filled<std::int8_t>(ElementType::int8, plan_of(ContentsKind::normal, 0, 1), 1000);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(small, 0)), 383, 60);
  EXPECT_EQ(filled<std::int8_t>(ElementType::int8, plan_of(ContentsKind::normal, -1e9, 1), 1)[0], -128);
}

TEST(Contents, ramps_with_a_seed_have_elements_of_the_ramp) {
  const auto values = filled<int>(ElementType::int32, plan_of(ContentsKind::ramp, 5, -2, 9), 100);
  EXPECT_NE(values, filled<int>(ElementType::int32, plan_of(ContentsKind::ramp, 5, -2, 10), 100));
  for (const int value : values) EXPECT_TRUE(value <= 5 && value > 5 - 200 && value % 2 != 0) << value;
}

TEST(Contents, ramps_and_constants_have_the_given_values) {
  EXPECT_EQ(filled<int>(ElementType::int32, plan_of(ContentsKind::ramp, 5, -2, 0), 4),
            (std::vector<int>{5, 3, 1, -1}));
  EXPECT_EQ(filled<float>(ElementType::float32, plan_of(ContentsKind::ramp, 0, 0.5, 0), 3),
            (std::vector<float>{0, 0.5f, 1}));
  EXPECT_EQ(filled<std::uint8_t>(ElementType::uint8, plan_of(ContentsKind::ramp, 254, 1, 0), 4),
            (std::vector<std::uint8_t>{254, 255, 0, 1}));
  EXPECT_EQ(filled<std::int64_t>(ElementType::int64, plan_of(ContentsKind::constant, -7), 2),
            (std::vector<std::int64_t>{-7, -7}));
  EXPECT_EQ(filled<double>(ElementType::float64, plan_of(ContentsKind::zero), 2),
            (std::vector<double>{0, 0}));
}

TEST(Contents, complex_numbers_have_random_parts_and_real_constants) {
  const ContentsPlan random = plan_of(ContentsKind::normal, 1, 2);
  EXPECT_EQ(filled<float>(ElementType::complex64, random, 20),
            filled<float>(ElementType::float32, random, 20));
  EXPECT_EQ(filled<double>(ElementType::complex128, plan_of(ContentsKind::constant, 3), 4),
            (std::vector<double>{3, 0, 3, 0}));
  EXPECT_EQ(filled<float>(ElementType::complex64, plan_of(ContentsKind::zero), 2),
            (std::vector<float>{0, 0}));
}

TEST(Contents, impossible_bounds_are_refused) {
  EXPECT_EQ(message_of(ElementType::uint8, plan_of(ContentsKind::constant, 256)),
            "256 does not fit into uint8");
  EXPECT_EQ(message_of(ElementType::uint8, plan_of(ContentsKind::uniform, -1, 5)),
            "-1 does not fit into uint8");
  EXPECT_EQ(message_of(ElementType::int32, plan_of(ContentsKind::uniform, 5, 1)),
            "uniform from 5 to 1: the first must not be the greater");
}

TEST(Contents, no_element_of_a_poisoned_output_passes) {
  const std::vector<std::int8_t> expected{-1, 0, 1, 127};
  std::vector<std::int8_t> output(4);
  for (const int mask : {0xff, 0x55, 0xaa}) {
    poison(std::as_bytes(std::span(expected)), static_cast<std::byte>(mask),
           std::as_writable_bytes(std::span(output)));
    EXPECT_EQ(
        judge(ElementType::int8, std::as_bytes(std::span(output)), std::as_bytes(std::span(expected)), {})
            .mismatches,
        4u)
        << mask;
  }
  for (ElementType type :
       {ElementType::float16, ElementType::bfloat16, ElementType::float32, ElementType::float64,
        ElementType::float8_e4m3, ElementType::float8_e5m2}) {
    std::vector<std::byte> reals(16);
    poison({}, std::byte{0xff}, reals);
    EXPECT_TRUE(std::isnan(load_real(type, reals.data())));
  }
}

}  // namespace
}  // namespace gktune
