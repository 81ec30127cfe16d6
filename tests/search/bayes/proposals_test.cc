#include "tuner/search/bayes/model_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

TEST(Start, proposes_small_and_aligned_configurations) {
  Parameter block{.name = "block"}, tile{.name = "tile"};
  for (int i = 1; i <= 32; ++i) block.values.emplace_back(8 * i);
  for (int i = 1; i <= 8; ++i) tile.values.emplace_back(i);
  const Space space = Space::build({block, tile}, {}, Scope()).value();
  const Features features(space);
  Untried untried(space);
  std::mt19937_64 random(1);
  Start start(features, untried, random);
  std::vector<Point> known;
  for (int i = 0; i < 4; ++i) {
    const Space::Ranks ranks = start.propose(known, random);
    ASSERT_TRUE(untried.take(ranks));
    const Config config = space.config_of(ranks);
    EXPECT_EQ(config.find("block")->integer() % 16, 0) << config.str();
    known.push_back(features.point(ranks));
  }
}

// `blocks` only matters for `strided`, with one block per multiprocessor.
TEST(Start, a_value_that_another_parameter_dictates_does_not_make_a_configuration_large) {
  Parameter threads{.name = "threads"}, tile{.name = "tile", .values = {1, 2, 3, 4}};
  for (int i = 1; i <= 64; ++i) threads.values.emplace_back(i);
  const Space space = Space::build({{.name = "way", .values = {"each", "strided"}},
                                    {.name = "blocks", .values = {1, 2, 4, 8, 16, 32}},
                                    threads,
                                    tile},
                                   {constraint("way == \"strided\" or blocks == 32")}, Scope())
                          .value();
  const Features features(space);
  Untried untried(space);
  std::mt19937_64 random(1);
  Start start(features, untried, random);
  std::vector<Point> known;
  bool has_each = false;
  for (int i = 0; i < 8; ++i) {
    const Space::Ranks ranks = start.propose(known, random);
    has_each = has_each || ranks[0] == 0;
    untried.take(ranks);
    known.push_back(features.point(ranks));
  }
  EXPECT_TRUE(has_each);
}

// The sum over the space of the distance from the nearest of these configurations, in steps.
double uncovered(const Space& space, const std::vector<Space::Ranks>& chosen) {
  double sum = 0;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(space.size()); ++i) {
    const Space::Ranks ranks = space.ranks_at(i);
    double nearest = 1e9;
    for (const Space::Ranks& other : chosen) {
      const double x = static_cast<double>(ranks[0]) - static_cast<double>(other[0]);
      const double y = static_cast<double>(ranks[1]) - static_cast<double>(other[1]);
      nearest = std::min(nearest, x * x + y * y);
    }
    sum += nearest;
  }
  return sum;
}

// Alignment of `block` alone would leave one of its values.
TEST(Start, covers_the_space_if_fewer_than_two_parameters_can_be_misaligned) {
  Parameter block{.name = "block", .values = {1, 2, 4, 8, 12, 16, 32}}, tile{.name = "tile"};
  for (int i = 0; i < 7; ++i) tile.values.emplace_back(1 << i);
  const Space space = Space::build({block, tile}, {}, Scope()).value();
  const Features features(space);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Untried untried(space);
    std::mt19937_64 random(seed);
    Start start(features, untried, random);
    EXPECT_FALSE(start.is_small());
    std::vector<Point> known;
    std::vector<Space::Ranks> chosen, drawn;
    for (int i = 0; i < 5; ++i) {
      drawn.push_back(*untried.sample(random));
      chosen.push_back(start.propose(known, random));
      EXPECT_TRUE(untried.take(chosen.back()));
      known.push_back(features.point(chosen.back()));
    }
    for (const std::uint32_t rank : chosen.front()) EXPECT_TRUE(1 < rank && rank < 5) << rank;
    EXPECT_LT(uncovered(space, chosen), uncovered(space, drawn));
    EXPECT_LT(uncovered(space, chosen), 0.4 * uncovered(space, {chosen.front()}));
  }
}

TEST(Start, continues_after_the_small_configurations_are_used_up) {
  const Space space = checkered_space(4);
  const Features features(space);
  Untried untried(space);
  std::mt19937_64 random(1);
  Start start(features, untried, random);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(untried.take(start.propose({}, random)));
}

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
