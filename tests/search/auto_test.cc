#include "tuner/search/auto.h"

#include <gtest/gtest.h>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

TEST(Auto, tries_all_configurations_if_the_budget_allows) {
  const Space space = checkered_space(10);
  Auto search({.space = space, .budget = {.trials = 50}});
  EXPECT_EQ(search.description(), "all 50 configurations fit the budget: each is tried");
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(search.ask().has_value());
  EXPECT_EQ(search.ask(), std::nullopt);
}

TEST(Auto, uses_a_model_if_trials_or_time_may_not_suffice) {
  const Space space = checkered_space(10);
  const std::string expected = "a Gaussian process predicts time, cost and failure among 50 configurations";
  EXPECT_EQ(Auto({.space = space, .budget = {.trials = 49}}).description(), expected);
  EXPECT_EQ(Auto({.space = space, .budget = {.trials = 50, .seconds = 1}}).description(), expected);
  EXPECT_EQ(Auto({.space = space}).description(), expected);
}

TEST(Auto, says_how_many_related_trials_it_begins_with) {
  const Space space = checkered_space(10);
  RelatedStudy related{.name = "another GPU", .trials = {}};
  for (std::uint64_t i = 0; i < 30; ++i) related.trials.push_back({.config = space.at(i), .objective = 1.0});
  EXPECT_EQ(
      Auto({.space = space, .related = {related}}).description(),
      "a Gaussian process predicts time, cost and failure; it begins with 30 trials of related studies among "
      "50 configurations");
}

}  // namespace
}  // namespace gktune
