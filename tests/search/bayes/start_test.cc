#include "tuner/search/bayes/start.h"

#include <gtest/gtest.h>

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
  Parameter threads{.name = "threads"};
  for (int i = 1; i <= 64; ++i) threads.values.emplace_back(i);
  const Space space = Space::build({{.name = "way", .values = {"each", "strided"}},
                                    {.name = "blocks", .values = {1, 2, 4, 8, 16, 32}},
                                    threads},
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

TEST(Start, goes_on_when_the_small_ones_are_used_up) {
  const Space space = checkered_space(4);
  const Features features(space);
  Untried untried(space);
  std::mt19937_64 random(1);
  Start start(features, untried, random);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(untried.take(start.propose({}, random)));
}

}  // namespace
}  // namespace gktune
