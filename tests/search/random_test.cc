#include "tuner/search/random.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

std::vector<std::string> all_asked(Searcher& search) {
  std::vector<std::string> asked;
  while (auto config = search.ask()) asked.push_back(config->json());
  return asked;
}

TEST(Random, proposes_the_default_first_and_everything_once) {
  Space space = checkered_space(20);
  Random search({.space = space, .seed = 1});
  auto asked = all_asked(search);
  EXPECT_EQ(asked.front(), (Config{{"x", 2}, {"y", 4}}.json()));
  EXPECT_EQ(asked.size(), 200u);
  EXPECT_EQ(std::set(asked.begin(), asked.end()).size(), 200u);
  EXPECT_EQ(search.ask(), std::nullopt);
}

TEST(Random, equal_seeds_give_equal_orders_and_other_seeds_give_others) {
  Space space = checkered_space(10);
  Random first({.space = space, .seed = 5}), second({.space = space, .seed = 5}),
      third({.space = space, .seed = 6});
  auto order = all_asked(first);
  EXPECT_EQ(order, all_asked(second));
  EXPECT_NE(order, all_asked(third));
}

TEST(Random, never_proposes_what_it_was_told_even_if_that_is_most_of_the_space) {
  Space space = checkered_space(10);
  Random search({.space = space, .seed = 3});
  std::set<std::string> told;
  for (std::uint64_t i = 0; i < 45; ++i) {
    search.tell(Trial{.config = space.at(i)});
    told.insert(space.at(i).json());
  }
  auto asked = all_asked(search);
  EXPECT_EQ(asked.size(), 5u);
  for (const auto& config : asked) EXPECT_FALSE(told.contains(config)) << config;
}

TEST(Random, every_configuration_is_equally_likely_to_come_second) {
  Space space = checkered_space(4);
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 1400; ++seed) {
    Random search({.space = space, .seed = seed});
    search.ask();
    ++seen[search.ask()->json()];
  }
  EXPECT_EQ(seen.size(), 7u);
  for (const auto& [config, times] : seen) EXPECT_NEAR(times, 200, 70) << config;
}

}  // namespace
}  // namespace gktune
