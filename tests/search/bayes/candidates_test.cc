#include "tuner/search/bayes/candidates.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

TEST(Candidates, are_all_untried_configurations_if_few_are_left) {
  const Space space = checkered_space(10);
  Untried untried(space);
  untried.take(space.ranks_at(7));
  std::mt19937_64 random(1);
  EXPECT_EQ(candidates(untried, {}, 100, random).size(), 49u);
}

TEST(Candidates, hold_neighbours_of_the_best_and_random_draws_without_duplicates) {
  const Space space = checkered_space(60);
  Untried untried(space);
  const std::vector<Space::Ranks> best = {space.ranks_at(900)};
  untried.take(best[0]);
  std::mt19937_64 random(2);
  const auto found = candidates(untried, best, 300, random);
  const std::set<Space::Ranks> distinct(found.begin(), found.end());
  EXPECT_EQ(found.size(), 300u);
  EXPECT_EQ(distinct.size(), 300u);
  for (const Space::Ranks& ranks : found) EXPECT_TRUE(untried.take(ranks));
  for (std::uint32_t x = best[0][0] % 2; x < 60; x += 2) {
    EXPECT_EQ(distinct.contains({x, best[0][1]}), x != best[0][0]) << x;
  }
}

}  // namespace
}  // namespace gktune
