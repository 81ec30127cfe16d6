#include "tuner/search/bayes/features.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gktune {
namespace {

Features features_of(std::vector<Parameter> parameters) {
  return Features(Space::build(std::move(parameters), {}, Scope()).value());
}

TEST(Features, a_parameter_with_one_value_is_not_a_dimension) {
  const auto features = features_of({{.name = "a", .values = {3}}, {.name = "b", .values = {1, 2}}});
  ASSERT_EQ(features.dimensions().size(), 1u);
  EXPECT_EQ(features.dimensions()[0].parameter, 1u);
  EXPECT_EQ(features.point(std::vector<std::uint32_t>{0, 1}), (Point{1}));
}

TEST(Features, positions_are_half_order_and_half_magnitude) {
  const auto features =
      features_of({{.name = "far", .values = {1, 2, 64}}, {.name = "near", .values = {10, 11, 14}}});
  const auto& far = features.dimensions()[0].levels;
  EXPECT_FLOAT_EQ(far[0].position, 0);
  EXPECT_FLOAT_EQ(far[1].position, (0.5F + 1.0F / 6) / 2);  // by its logarithm
  EXPECT_FLOAT_EQ(far[2].position, 1);
  EXPECT_FLOAT_EQ(features.dimensions()[1].levels[1].position, (0.5F + 0.25F) / 2);
}

TEST(Features, positions_do_not_depend_on_the_order_of_values) {
  const auto features = features_of({{.name = "a", .values = {4, 1, 2}}});
  const auto& levels = features.dimensions()[0].levels;
  EXPECT_FLOAT_EQ(levels[0].position, 1);
  EXPECT_FLOAT_EQ(levels[1].position, 0);
  EXPECT_FLOAT_EQ(levels[2].position, 0.5);
}

TEST(Features, texts_have_no_order) {
  const auto features = features_of({{.name = "a", .values = {"x", "y", "z"}}});
  EXPECT_TRUE(features.dimensions()[0].is_categorical);
}

TEST(Features, factors_of_two_count_if_other_numbers_lie_between_them) {
  const auto features = features_of({{.name = "a", .values = {32, 48, 56, 60, 64}},
                                     {.name = "powers", .values = {1, 2, 4, 8, 16}},
                                     {.name = "odd", .values = {1, 3, 5, 7}}});
  const Dimension& first = features.dimensions()[0];
  ASSERT_TRUE(first.has_twos);
  EXPECT_FLOAT_EQ(first.levels[3].twos, 0);
  EXPECT_FLOAT_EQ(first.levels[1].twos, 0.5);
  EXPECT_FLOAT_EQ(first.levels[4].twos, 1);
  EXPECT_FALSE(features.dimensions()[1].has_twos);
  EXPECT_FALSE(features.dimensions()[2].has_twos);
}

TEST(Features, a_power_of_two_is_rounder_than_other_numbers_with_as_many_factors) {
  const auto features = features_of({{.name = "a", .values = {1, 31, 32, 48, 96, 1024}}});
  const auto& levels = features.dimensions()[0].levels;
  EXPECT_FLOAT_EQ(levels[0].roundness, 1);
  EXPECT_FLOAT_EQ(levels[1].roundness, 0);
  EXPECT_FLOAT_EQ(levels[2].roundness, 1);
  EXPECT_FLOAT_EQ(levels[4].roundness, 5 / std::log2(96.0F));
  EXPECT_FLOAT_EQ(levels[5].roundness, 1);
  EXPECT_FLOAT_EQ(levels[2].twos, levels[4].twos);
}

TEST(Features, very_many_values_share_levels) {
  Parameter many{.name = "a"};
  for (int value = 0; value < 5000; ++value) many.values.emplace_back(value);
  const auto features = features_of({many});
  EXPECT_LE(features.dimensions()[0].levels.size(), 64u);
  EXPECT_EQ(features.dimensions()[0].level_of.size(), 5000u);
}

}  // namespace
}  // namespace gktune
