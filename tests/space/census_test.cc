#include "tuner/space/solver/census.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gktune {
namespace {

using Origin = Constraint::Origin;

Constraint constraint(const std::string& text, Origin origin) {
  return {Expression::parse(text).value(), origin};
}

const std::vector<Parameter> kTwoParameters = {{"x", {1, 2, 4, 8}, std::nullopt},
                                               {"y", {1, 2, 4, 8}, std::nullopt}};

TEST(Census, tells_the_file_from_the_limits_of_the_device) {
  const NamedValues device = {{"threads", 16}};
  const auto census =
      take_census(kTwoParameters,
                  {constraint("x * y <= device.threads", Origin::block_limit),
                   constraint("x >= y", Origin::file), constraint("x * 4 < 32", Origin::shared_memory_limit)},
                  Scope().add(device, "device."));
  ASSERT_TRUE(census) << census.error().message;
  EXPECT_EQ(census->combinations, 16);
  EXPECT_EQ(census->rejected_by_file, 6);
  EXPECT_EQ(census->rejected_by_block_limit, 2);          // 8x4 and 8x8
  EXPECT_EQ(census->rejected_by_shared_memory_limit, 2);  // 8x1 and 8x2
  EXPECT_EQ(census->valid, 6);
}

TEST(Census, counts_even_where_nothing_is_left) {
  const auto census = take_census(
      kTwoParameters, {constraint("x > 4", Origin::file), constraint("x < 2", Origin::block_limit)}, Scope());
  ASSERT_TRUE(census);
  EXPECT_EQ(census->rejected_by_file, 12);
  EXPECT_EQ(census->rejected_by_block_limit, 4);
  EXPECT_EQ(census->rejected_by_shared_memory_limit, 0);
  EXPECT_EQ(census->valid, 0);
}

TEST(Census, an_error_is_passed_on) {
  const auto census = take_census(kTwoParameters, {constraint("x > z", Origin::file)}, Scope());
  ASSERT_FALSE(census);
  EXPECT_EQ(census.error().kind, SpaceError::Kind::bad_constraint);
}

}  // namespace
}  // namespace gktune
