#include "db/distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gktune {
namespace {

double length(const Problem& asked, const Problem& tuned) {
  auto found = distance(asked, tuned);
  return found ? found->length : -1;
}

TEST(Distance, is_one_for_a_factor_of_two_along_one_axis) {
  EXPECT_DOUBLE_EQ(length({{"n", 1023}}, {{"n", 511}}), 1);
  EXPECT_DOUBLE_EQ(length({{"n", 511}}, {{"n", 1023}}), 1);
  EXPECT_DOUBLE_EQ(length({{"n", 0}}, {{"n", 1}}), 1);
  EXPECT_DOUBLE_EQ(length({{"n", 7}}, {{"n", 7}}), 0);
}

TEST(Distance, depends_on_shapes_not_on_volumes) {
  Problem square{{"m", 64}, {"k", 64}};
  EXPECT_GT(length({{"m", 1}, {"k", 4096}}, square), 7);
  EXPECT_LT(length({{"m", 60}, {"k", 70}}, square), 0.2);
}

TEST(Distance, close_problems_are_not_equal) {
  EXPECT_TRUE(distance({{"n", 8}, {"T", "float"}}, {{"T", "float"}, {"n", 8}})->equal);
  EXPECT_TRUE(distance({}, {})->equal);
  EXPECT_TRUE(distance({{"n", 8.0}}, {{"n", 8}})->equal);
  auto close = distance({{"n", (std::int64_t{1} << 62) + 1}}, {{"n", std::int64_t{1} << 62}});
  EXPECT_FALSE(close->equal);
  EXPECT_EQ(close->length, 0);
  EXPECT_LT(*distance({{"n", 8}}, {{"n", 8}}), *distance({{"n", 8}}, {{"n", 9}}));
  EXPECT_LT(*distance({}, {}), *close);
}

TEST(Distance, exists_only_for_equal_texts_and_booleans) {
  EXPECT_FALSE(distance({{"T", "float"}}, {{"T", "double"}}));
  EXPECT_FALSE(distance({{"sorted", true}}, {{"sorted", false}}));
  EXPECT_FALSE(distance({{"n", 1}}, {{"n", "1"}}));
  EXPECT_FALSE(distance({{"n", 1}}, {{"n", true}}));
}

TEST(Distance, a_missing_axis_matches_every_value_and_an_unknown_axis_none) {
  auto left_out = distance({{"n", 8}}, {{"n", 8}, {"T", "float"}});
  ASSERT_TRUE(left_out);
  EXPECT_FALSE(left_out->equal);
  EXPECT_EQ(left_out->left_out, 1);
  EXPECT_LT(*distance({{"n", 8}}, {{"n", 4096}}), *left_out);
  EXPECT_FALSE(distance({{"n", 8}, {"N", 8}}, {{"n", 8}}));
}

TEST(Distance, exists_for_reals_and_negative_numbers) {
  EXPECT_DOUBLE_EQ(length({{"share", 3.0}}, {{"share", 1}}), 1);
  EXPECT_DOUBLE_EQ(length({{"shift", -1}}, {{"shift", 1}}), 2);
  EXPECT_DOUBLE_EQ(length({{"shift", -3}}, {{"shift", -1}}), 1);
  EXPECT_GT(length({{"n", std::numeric_limits<std::int64_t>::min()}}, {{"n", 0}}), 60);
}

TEST(Distance, does_not_exist_for_infinity_and_nan) {
  EXPECT_FALSE(distance({{"x", std::nan("")}}, {{"x", 1.0}}));
  EXPECT_FALSE(distance({{"x", std::numeric_limits<double>::infinity()}}, {{"x", 1.0}}));
}

}  // namespace
}  // namespace gktune
