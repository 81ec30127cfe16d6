#include "tuner/measure/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tuner/measure/element.h"

namespace gktune {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
Verdict judged(ElementType type, const std::vector<T>& actual, const std::vector<T>& expected,
               const TolerancePlan& tolerance = {}) {
  return judge(type, std::as_bytes(std::span(actual)), std::as_bytes(std::span(expected)), tolerance);
}

std::vector<std::byte> reals(ElementType type, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * element_size(type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    store_real(type, bytes.data() + i * element_size(type), values[i]);
  }
  return bytes;
}

TEST(Verdict, the_message_has_the_number_of_mismatches_the_first_and_its_values) {
  std::vector<float> expected(1024, 4.0f), actual = expected;
  for (std::size_t i = 17; i < 29; ++i) actual[i] = 3.5f;
  const Verdict verdict = judged(ElementType::float32, actual, expected);
  EXPECT_FALSE(verdict.passed());
  EXPECT_EQ(verdict.message("out"),
            "12 of 1024 elements differ; the first is out[17]: 3.5, expected 4 (absolute error 0.5)");
}

TEST(Verdict, the_message_of_a_single_mismatch_is_in_the_singular) {
  EXPECT_EQ(judged<int>(ElementType::int32, {-3}, {4}).message("sum"),
            "1 of 1 element differs; it is sum[0]: -3, expected 4 (absolute error 7)");
}

TEST(Verdict, nan_never_passes_even_where_it_is_expected) {
  const TolerancePlan lenient{1e300, 1e300, std::numeric_limits<std::int64_t>::max()};
  const Verdict verdict = judged<double>(ElementType::float64, {kNaN, kNaN, 1}, {1, kNaN, 1}, lenient);
  EXPECT_EQ(verdict.mismatches, 2u);
  EXPECT_EQ(verdict.nans, 2u);
  EXPECT_EQ(verdict.message("y"), "2 of 3 elements differ (NaN); the first is y[0]: nan, expected 1");
}

TEST(Verdict, a_number_where_nan_is_expected_fails) {
  const TolerancePlan lenient{1e300, 1e300, 1};
  EXPECT_FALSE(judged<double>(ElementType::float64, {1}, {kNaN}, lenient).passed());
}

TEST(Verdict, the_message_names_the_reference_where_nan_is_expected) {
  EXPECT_EQ(judged<float>(ElementType::float32, {NAN}, {NAN}).message("y"),
            "1 of 1 element differs (NaN); it is y[0]: nan, expected nan (the reference is NaN there)");
}

TEST(Verdict, an_infinity_passes_only_where_the_same_infinity_is_expected) {
  const TolerancePlan lenient{1e300, 1, 1000};
  EXPECT_TRUE(judged<double>(ElementType::float64, {kInfinity}, {kInfinity}).passed());
  EXPECT_FALSE(judged<double>(ElementType::float64, {-kInfinity}, {kInfinity}, lenient).passed());
  EXPECT_FALSE(judged<double>(ElementType::float64, {1}, {kInfinity}, lenient).passed());
  EXPECT_FALSE(judged<double>(ElementType::float64, {kInfinity}, {1}, lenient).passed());
  EXPECT_FALSE(
      judged<double>(ElementType::float64, {kInfinity}, {std::numeric_limits<double>::max()}, lenient)
          .passed());
}

TEST(Verdict, zeros_of_either_sign_are_equal) {
  EXPECT_TRUE(judged<float>(ElementType::float32, {-0.0f}, {0.0f}).passed());
}

TEST(Verdict, meeting_any_given_tolerance_is_enough) {
  EXPECT_TRUE(judged<double>(ElementType::float64, {100.5}, {100}, {0.5, 0, 0}).passed());
  EXPECT_FALSE(judged<double>(ElementType::float64, {100.51}, {100}, {0.5, 0, 0}).passed());
  EXPECT_TRUE(judged<double>(ElementType::float64, {-101}, {-100}, {0, 0.01, 0}).passed());
  EXPECT_FALSE(judged<double>(ElementType::float64, {-101.1}, {-100}, {0, 0.01, 0}).passed());
  EXPECT_TRUE(judged<double>(ElementType::float64, {1e-9}, {0}, {1e-8, 0.01, 0}).passed());
}

TEST(Verdict, units_in_the_last_place_are_counted_across_zero) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_TRUE(judged<float>(ElementType::float32, {-tiny}, {tiny}, {0, 0, 2}).passed());
  EXPECT_FALSE(judged<float>(ElementType::float32, {-tiny}, {tiny}, {0, 0, 1}).passed());
  const float next = std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f);
  EXPECT_TRUE(judged<float>(ElementType::float32, {next}, {1.0f}, {0, 0, 2}).passed());
  EXPECT_FALSE(judged<float>(ElementType::float32, {next}, {1.0f}, {0, 0, 1}).passed());
}

TEST(Verdict, small_floats_are_compared_in_their_own_units) {
  const std::pair<ElementType, double> steps[] = {{ElementType::float16, 1.0 / 1024},
                                                  {ElementType::bfloat16, 1.0 / 128},
                                                  {ElementType::float8_e4m3, 1.0 / 8},
                                                  {ElementType::float8_e5m2, 1.0 / 4}};
  for (const auto& [type, step] : steps) {
    const auto actual = reals(type, {1 + step, 2}), expected = reals(type, {1, 2});
    EXPECT_TRUE(judge(type, actual, expected, {0, 0, 1}).passed());
    const Verdict exact = judge(type, actual, expected, {});
    EXPECT_EQ(exact.mismatches, 1u);
    EXPECT_DOUBLE_EQ(exact.first_absolute, step);
    EXPECT_FALSE(judge(type, reals(type, {kNaN, 2}), expected, {1, 1, 1}).passed());
  }
}

TEST(Verdict, integers_keep_all_their_digits) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 53) + 1;
  const Verdict verdict = judged<std::int64_t>(ElementType::int64, {kLarge}, {kLarge - 1});
  EXPECT_EQ(verdict.actual, "9007199254740993");
  EXPECT_DOUBLE_EQ(verdict.first_absolute, 1);
  EXPECT_EQ(judged<std::uint64_t>(ElementType::uint64, {UINT64_MAX}, {0}).actual, "18446744073709551615");
}

TEST(Verdict, signed_and_unsigned_integers_differ_by_their_distance) {
  EXPECT_DOUBLE_EQ(judged<std::int8_t>(ElementType::int8, {-128}, {127}).first_absolute, 255);
  EXPECT_DOUBLE_EQ(judged<std::uint8_t>(ElementType::uint8, {0}, {255}).first_absolute, 255);
  EXPECT_TRUE(judged<std::int16_t>(ElementType::int16, {-99}, {-100}, {0, 0.01, 0}).passed());
}

TEST(Verdict, an_output_without_elements_passes) {
  EXPECT_TRUE(judged<float>(ElementType::float32, {}, {}).passed());
}

TolerancePlan with(void (*change)(TolerancePlan&)) {
  TolerancePlan tolerance;
  change(tolerance);
  return tolerance;
}

TEST(Verdict, nan_passes_on_request_only_where_nan_is_expected) {
  const TolerancePlan equal = with([](TolerancePlan& t) { t.nan_equals = true; });
  EXPECT_TRUE(judged<float>(ElementType::float32, {NAN, 1, INFINITY}, {NAN, 1, INFINITY}, equal).passed());
  EXPECT_EQ(judged<float>(ElementType::float32, {NAN, 1, INFINITY}, {1, NAN, -INFINITY}, equal).mismatches,
            3u);
}

TEST(Verdict, padding_does_not_count) {
  const TolerancePlan rows = with([](TolerancePlan& t) { t.row = 2, t.pitch = 3; });
  const Verdict verdict = judged<int>(ElementType::int32, {1, 2, 0, 4, 5, 0, 7}, {1, 2, 9, 4, 6, 9, 8}, rows);
  EXPECT_EQ(verdict.count, 5u);
  EXPECT_EQ(verdict.message("out"),
            "2 of 5 elements differ; the first is out[4]: 5, expected 6 (absolute error 1)");
}

TEST(Verdict, a_mask_says_which_elements_count) {
  const std::vector<unsigned char> mask{1, 0, 2};
  const std::vector<int> actual{1, 5, 3}, expected{1, 2, 3};
  const auto judge_it = [&](const std::vector<int>& is) {
    return judge(ElementType::int32, std::as_bytes(std::span(is)), std::as_bytes(std::span(expected)), {},
                 std::as_bytes(std::span(mask)));
  };
  EXPECT_TRUE(judge_it(actual).passed());
  EXPECT_EQ(judge_it(actual).count, 2u);
  EXPECT_FALSE(judge_it({1, 2, 4}).passed());
}

TEST(Verdict, complex_numbers_are_judged_by_the_magnitude_of_their_difference) {
  const std::vector<float> expected{3, 4, 0, 0, 1, -2}, near{3.3f, 4.4f, 0, 0, 1, -2};
  const auto judged_with = [&](const std::vector<float>& actual, TolerancePlan tolerance) {
    return judged(ElementType::complex64, actual, expected, tolerance);
  };
  EXPECT_TRUE(judged_with(near, {0.51, 0, 0}).passed());  // sqrt(0.3² + 0.4²) = 0.5
  EXPECT_FALSE(judged_with(near, {0.49, 0, 0}).passed());
  EXPECT_TRUE(judged_with(near, {0, 0.101, 0}).passed());  // of |3 + 4i| = 5
  EXPECT_FALSE(judged_with(near, {0, 0.099, 0}).passed());
  EXPECT_TRUE(judged_with(expected, {}).passed());
  const Verdict verdict = judged_with({3, 4, 0, 1, 1, -2}, {});
  EXPECT_EQ(verdict.count, 3u);
  EXPECT_EQ(verdict.message("z"),
            "1 of 3 elements differs; it is z[1]: 0+1i, expected 0+0i (absolute error 1)");
  EXPECT_EQ(judged_with({3, 4, 0, 0, 1, 2}, {}).message("z"),
            "1 of 3 elements differs; it is z[2]: 1+2i, expected 1-2i (absolute error 4)");
}

TEST(Verdict, complex_numbers_with_nan_or_infinity_need_both_parts) {
  const std::vector<double> expected{kNaN, 1, kInfinity, 0}, other{kNaN, 2, -kInfinity, 0};
  TolerancePlan lenient{1e300, 1e300, 0};
  const Verdict strict = judged(ElementType::complex128, expected, expected, lenient);
  EXPECT_EQ(strict.nans, 1u);
  EXPECT_EQ(
      strict.message("z"),
      "1 of 2 elements differs (NaN); it is z[0]: nan+1i, expected nan+1i (the reference is NaN there)");
  lenient.nan_equals = true;
  EXPECT_TRUE(judged(ElementType::complex128, expected, expected, lenient).passed());
  EXPECT_EQ(judged(ElementType::complex128, other, expected, lenient).mismatches, 2u);
}

TEST(Verdict, the_norm_of_complex_numbers_is_that_of_their_magnitudes) {
  TolerancePlan norm;
  norm.has_norm = true;
  norm.norm = 0.11;
  const std::vector<double> expected{30, 40, 0, 0}, actual{30, 40, 3, 4};
  EXPECT_TRUE(judged(ElementType::complex128, actual, expected, norm).passed());  // 5 / 50
  norm.norm = 0.09;
  EXPECT_FALSE(judged(ElementType::complex128, actual, expected, norm).passed());
  EXPECT_TRUE(
      std::isfinite(judged<double>(ElementType::complex128, {1e300, 1e300}, {1e300, 0}).first_absolute));
}

TEST(Verdict, the_order_matters_unless_any_order_is_allowed) {
  const TolerancePlan any = with([](TolerancePlan& t) { t.any_order = true; });
  EXPECT_FALSE(judged<int>(ElementType::int32, {3, -1, 2}, {2, 3, -1}).passed());
  EXPECT_TRUE(judged<int>(ElementType::int32, {3, -1, 2}, {2, 3, -1}, any).passed());
  EXPECT_TRUE(judged<float>(ElementType::float32, {0.5f, -2, 1}, {1, 0.5f, -2}, any).passed());
  EXPECT_TRUE(judged<std::uint64_t>(ElementType::uint64, {~0ull, 1}, {1, ~0ull}, any).passed());
  // Each value must occur as often as expected.
  EXPECT_EQ(judged<int>(ElementType::int32, {2, 3, 3}, {2, 2, 3}, any).message("out"),
            "1 of 3 elements differs; it is sorted out[1]: 3, expected 2 (absolute error 1)");
}

TEST(Verdict, sorting_ignores_elements_that_do_not_count) {
  const TolerancePlan any = with([](TolerancePlan& t) { t.any_order = true, t.row = 2, t.pitch = 3; });
  EXPECT_TRUE(judged<int>(ElementType::int32, {4, 1, 99, 3}, {1, 3, -7, 4}, any).passed());
}

TEST(Verdict, a_norm_weighs_all_differences_together) {
  const TolerancePlan norm = with([](TolerancePlan& t) { t.has_norm = true, t.norm = 0.1; });
  EXPECT_TRUE(judged<float>(ElementType::float32, {30, 40, 1}, {30, 40, 0}, norm).passed());
  const Verdict verdict = judged<float>(ElementType::float32, {30, 40, 10}, {30, 40, 0}, norm);
  EXPECT_EQ(verdict.message("out"),
            "the error of 'out' in the L2 norm is 0.2 of the reference's, 0.1 is allowed");
  EXPECT_FALSE(verdict.passed());
  EXPECT_FALSE(judged<float>(ElementType::float32, {1}, {0}, norm).passed());
  EXPECT_TRUE(judged<float>(ElementType::float32, {0}, {0}, norm).passed());
  EXPECT_TRUE(judged<int>(ElementType::int32, {-100, 3}, {-100, 1}, norm).passed());
}

TEST(Verdict, a_norm_does_not_let_nan_pass) {
  const TolerancePlan norm = with([](TolerancePlan& t) { t.has_norm = true, t.norm = 1e9; });
  EXPECT_EQ(judged<float>(ElementType::float32, {1, NAN}, {1, 1}, norm).nans, 1u);
  EXPECT_FALSE(judged<float>(ElementType::float32, {INFINITY}, {1}, norm).passed());
}

}  // namespace
}  // namespace gktune
