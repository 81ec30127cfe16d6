#include "tuner/search/exhaustive.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

TEST(Exhaustive, proposes_every_configuration_once) {
  for (const int side : {1, 2, 3, 6, 7, 20}) {
    const Space space = checkered_space(side);
    Exhaustive search({.space = space});
    std::set<std::string> asked;
    while (const auto config = search.ask()) EXPECT_TRUE(asked.insert(config->json()).second);
    EXPECT_EQ(Count(asked.size()), space.size()) << side;
    EXPECT_EQ(search.ask(), std::nullopt);
  }
}

TEST(Exhaustive, proposes_configurations_of_each_quarter_of_the_space_early) {
  const Space space = checkered_space(20);
  Exhaustive search({.space = space});
  const auto size = static_cast<std::uint64_t>(space.size());
  std::set<std::uint64_t> quarters;
  for (int i = 0; i < 8; ++i) {
    const auto config = search.ask();
    std::uint64_t index = 0;
    while (space.at(index) != config) ++index;
    quarters.insert(index * 4 / size);
  }
  EXPECT_EQ(quarters.size(), 4u);
}

TEST(Exhaustive, never_proposes_what_it_was_told) {
  Space space = checkered_space(6);
  Exhaustive search({.space = space});
  for (std::uint64_t i = 0; i < 16; ++i) search.tell(Trial{.config = space.at(i)});
  std::set<std::string> asked;
  while (const auto config = search.ask()) asked.insert(config->json());
  EXPECT_EQ(asked, std::set({space.at(16).json(), space.at(17).json()}));
}

TEST(Exhaustive, a_trial_of_another_space_changes_nothing) {
  Space space = checkered_space(2);
  Exhaustive search({.space = space});
  search.tell(Trial{.config = {{"x", 77}, {"z", 1}}});
  EXPECT_EQ(search.ask(), space.at(0));
}

}  // namespace
}  // namespace gktune
