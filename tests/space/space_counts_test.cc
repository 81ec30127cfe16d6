#include "tuner/space/solver/space.h"

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

TEST(SpaceCounts, separate_rejections_by_the_file_from_those_by_device_limits) {
  const NamedValues device = {{"threads", 16}};
  const auto counts =
      count_combinations(kTwoParameters,
                  {constraint("x * y <= device.threads", Origin::block_limit),
                   constraint("x >= y", Origin::file), constraint("x * 4 < 32", Origin::shared_memory_limit)},
                  Scope().add(device, "device."));
  EXPECT_EQ(counts->combinations, 16);
  EXPECT_EQ(counts->rejected_by_file, 6);
  EXPECT_EQ(counts->rejected_by_block_limit, 2);          // 8x4 and 8x8
  EXPECT_EQ(counts->rejected_by_shared_memory_limit, 2);  // 8x1 and 8x2
  EXPECT_EQ(counts->valid, 6);
}

TEST(SpaceCounts, exist_even_if_no_configuration_is_left) {
  const auto counts = count_combinations(
      kTwoParameters, {constraint("x > 4", Origin::file), constraint("x < 2", Origin::block_limit)}, Scope());
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->rejected_by_file, 12);
  EXPECT_EQ(counts->rejected_by_block_limit, 4);
  EXPECT_EQ(counts->rejected_by_shared_memory_limit, 0);
  EXPECT_EQ(counts->valid, 0);
}

TEST(SpaceCounts, pass_on_an_error) {
  const auto counts = count_combinations(kTwoParameters, {constraint("x > z", Origin::file)}, Scope());
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().kind, SpaceError::Kind::bad_constraint);
}

}  // namespace
}  // namespace gktune
