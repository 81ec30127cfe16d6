#include "tuner/search/strategy.h"

#include <gtest/gtest.h>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

TEST(Strategy, each_one_named_can_be_made_and_proposes) {
  Space space = checkered_space(3);
  for (const Strategy& strategy : strategies()) {
    if (strategy.name == "external") continue;  // it takes a program
    auto searcher = make_searcher(strategy.name, {.space = space});
    ASSERT_TRUE(searcher.ok()) << strategy.name;
    EXPECT_NE((*searcher)->ask(), std::nullopt);
  }
}

TEST(Strategy, an_unknown_name_is_an_error_that_lists_the_known) {
  Space space = checkered_space(3);
  auto searcher = make_searcher("ramdom", {.space = space});
  ASSERT_FALSE(searcher.ok());
  EXPECT_EQ(
      searcher.error().message,
      "no strategy is called 'ramdom'; there are auto, bayes, climb, local-search, genetic, "
      "differential-evolution, particle-swarm, annealing, pattern-search, bandit, latin-hypercube, random, "
      "exhaustive, external");
}

TEST(Strategy, an_unknown_option_is_an_error) {
  Space space = checkered_space(3);
  auto searcher = make_searcher("random", {.space = space, .options = {{"populaton", 5}}});
  ASSERT_FALSE(searcher.ok());
  EXPECT_EQ(searcher.error().message, "strategy 'random' has no option 'populaton'");
}

}  // namespace
}  // namespace gktune
