#include "tuner/search/bayes/start.h"

#include <gtest/gtest.h>

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

// Alignment of `block` alone would leave one of its values.
TEST(Start, covers_the_space_where_fewer_than_two_parameters_can_be_misaligned) {
  Parameter block{.name = "block", .values = {1, 2, 4, 8, 12, 16, 32}}, tile{.name = "tile"};
  for (int i = 0; i < 7; ++i) tile.values.emplace_back(1 << i);
  const Space space = Space::build({block, tile}, {}, Scope()).value();
  const Features features(space);
  Untried untried(space);
  std::mt19937_64 random(1);
  Start start(features, untried, random);
  std::vector<Point> known;
  std::set<std::uint32_t> blocks, tiles;
  for (int i = 0; i < 8; ++i) {
    const Space::Ranks ranks = start.propose(known, random);
    untried.take(ranks);
    known.push_back(features.point(ranks));
    blocks.insert(ranks[0]);
    tiles.insert(ranks[1]);
  }
  EXPECT_GE(blocks.size(), 3u);
  EXPECT_GE(tiles.size(), 3u);
  EXPECT_TRUE(blocks.contains(0));
  EXPECT_TRUE(tiles.contains(6));
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
