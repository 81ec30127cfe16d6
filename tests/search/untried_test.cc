#include "tuner/search/untried.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

TEST(Untried, takes_a_valid_configuration_once) {
  const Space space = checkered_space(4);
  Untried untried(space);
  EXPECT_TRUE(untried.take(Config{{"x", 1}, {"y", 3}}));
  EXPECT_FALSE(untried.take(Config{{"x", 1}, {"y", 3}}));
  EXPECT_FALSE(untried.take(Config{{"x", 1}, {"y", 2}}));
  EXPECT_FALSE(untried.take(Config{{"x", 77}, {"y", 3}}));
  EXPECT_FALSE(untried.take(Config{{"z", 1}}));
  EXPECT_EQ(untried.count(), Count(7));
}

TEST(Untried, draw_takes_a_configuration_and_sample_does_not) {
  const Space space = checkered_space(4);
  Untried untried(space);
  std::mt19937_64 random(1);
  EXPECT_TRUE(untried.take(*untried.sample(random)));
  EXPECT_FALSE(untried.take(*untried.draw(random)));
}

TEST(Untried, draws_everything_once_and_is_then_empty) {
  const Space space = checkered_space(12);
  Untried untried(space);
  std::mt19937_64 random(2);
  std::set<Space::Ranks> drawn;
  while (const auto ranks = untried.draw(random)) {
    EXPECT_TRUE(space.contains(*ranks));
    EXPECT_TRUE(drawn.insert(*ranks).second);
  }
  EXPECT_EQ(drawn.size(), 72u);
  EXPECT_TRUE(untried.empty());
  EXPECT_EQ(untried.sample(random), std::nullopt);
}

TEST(Untried, draws_from_the_remaining_configurations_are_uniform) {
  const Space space = checkered_space(4);
  std::map<Space::Ranks, int> seen;
  std::mt19937_64 random(3);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    Untried untried(space);
    for (std::uint64_t index = 0; index < 3; ++index) untried.take(space.ranks_at(index));
    untried.draw(random);
    ++seen[*untried.draw(random)];
  }
  EXPECT_EQ(seen.size(), 5u);
  for (const auto& [ranks, times] : seen) EXPECT_NEAR(times, 200, 60);
}

}  // namespace
}  // namespace gktune
