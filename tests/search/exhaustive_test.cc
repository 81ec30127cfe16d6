#include "tuner/search/exhaustive.h"

#include <gtest/gtest.h>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

TEST(Exhaustive, asks_for_every_configuration_once_in_the_order_of_the_space) {
  Space space = checkered_space(6);
  Exhaustive search({.space = space});
  for (std::uint64_t i = 0; i < 18; ++i) EXPECT_EQ(search.ask(), space.at(i));
  EXPECT_EQ(search.ask(), std::nullopt);
  EXPECT_EQ(search.ask(), std::nullopt);
}

TEST(Exhaustive, never_asks_for_what_it_was_told) {
  Space space = checkered_space(6);
  Exhaustive search({.space = space});
  search.tell(Trial{.config = space.at(0)});
  search.tell(Trial{.config = space.at(2)});
  EXPECT_EQ(search.ask(), space.at(1));
  EXPECT_EQ(search.ask(), space.at(3));
}

TEST(Exhaustive, a_trial_of_another_space_changes_nothing) {
  Space space = checkered_space(2);
  Exhaustive search({.space = space});
  search.tell(Trial{.config = {{"x", 77}, {"z", 1}}});
  EXPECT_EQ(search.ask(), space.at(0));
}

}  // namespace
}  // namespace gktune
