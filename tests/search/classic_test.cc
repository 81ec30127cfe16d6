// Properties of single strategies, besides those that contract_test.cc checks for all.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/search/small_space.h"
#include "tuner/search/strategy.h"

namespace gktune {
namespace {

std::unique_ptr<Searcher> made(std::string_view strategy, const Space& space, std::uint64_t seed = 0) {
  return make_searcher(strategy, {.space = space, .seed = seed}).value();
}

TEST(Exhaustive, proposes_every_configuration_once) {
  for (const int side : {1, 2, 3, 6, 7, 20}) {
    const Space space = checkered_space(side);
    const auto search = made("exhaustive", space);
    std::set<std::string> asked;
    while (const auto config = search->ask()) EXPECT_TRUE(asked.insert(config->json()).second);
    EXPECT_EQ(Count(asked.size()), space.size()) << side;
    EXPECT_EQ(search->ask(), std::nullopt);
  }
}

TEST(Exhaustive, proposes_configurations_of_each_quarter_of_the_space_early) {
  const Space space = checkered_space(20);
  const auto search = made("exhaustive", space);
  const auto size = static_cast<std::uint64_t>(space.size());
  std::set<std::uint64_t> quarters;
  for (int i = 0; i < 8; ++i) {
    const auto config = search->ask();
    std::uint64_t index = 0;
    while (space.at(index) != config) ++index;
    quarters.insert(index * 4 / size);
  }
  EXPECT_EQ(quarters.size(), 4u);
}

TEST(Random, proposes_the_default_first) {
  const Space space = checkered_space(20);
  EXPECT_EQ(made("random", space)->ask(), (Config{{"x", 2}, {"y", 4}}));
}

TEST(Random, every_configuration_is_equally_likely_to_come_second) {
  Space space = checkered_space(4);
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 1400; ++seed) {
    const auto search = made("random", space, seed);
    search->ask();
    ++seen[search->ask()->json()];
  }
  EXPECT_EQ(seen.size(), 7u);
  for (const auto& [config, times] : seen) EXPECT_NEAR(times, 200, 70) << config;
}

}  // namespace
}  // namespace gktune
