#include "tuner/search/strategy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

TEST(Strategy, an_unknown_name_is_an_error_that_lists_the_known_ones) {
  Space space = checkered_space(3);
  auto searcher = make_searcher("ramdom", {.space = space});
  ASSERT_FALSE(searcher.ok());
  EXPECT_EQ(searcher.error().message,
            "no strategy is called 'ramdom'; there are auto, bayes, trees, classifier, climb, local-search, "
            "genetic, annealing, random, exhaustive, external");
}

TEST(Strategy, an_unknown_option_is_an_error) {
  Space space = checkered_space(3);
  auto searcher = make_searcher("random", {.space = space, .options = {{"populaton", 5}}});
  ASSERT_FALSE(searcher.ok());
  EXPECT_EQ(searcher.error().message, "strategy 'random' has no option 'populaton'");
}

std::string error_of_bayes(std::string_view option, Value value) {
  const Space space = checkered_space(3);
  NamedValues options;
  options.set(option, std::move(value));
  auto searcher = make_searcher("bayes", {.space = space, .options = options});
  return searcher ? "" : searcher.error().message;
}

TEST(Strategy, an_option_of_another_kind_is_an_error) {
  EXPECT_EQ(error_of_bayes("spread_points", "many"),
            "option 'spread_points' of strategy 'bayes' is 'many', not a whole number");
  EXPECT_EQ(error_of_bayes("spread_points", 2.5),
            "option 'spread_points' of strategy 'bayes' is '2.5', not a whole number");
}

TEST(Strategy, a_number_beyond_the_bounds_of_an_option_is_an_error) {
  EXPECT_EQ(error_of_bayes("spread_points", 0),
            "option 'spread_points' of strategy 'bayes' is 0, not within 1 to 1000");
  EXPECT_EQ(error_of_bayes("candidates", 1'000'000),
            "option 'candidates' of strategy 'bayes' is 1000000, not within 1 to 20000");
  EXPECT_EQ(error_of_bayes("small_share", -1),
            "option 'small_share' of strategy 'bayes' is -1, not within 0 to 1");
  EXPECT_NE(error_of_bayes("small_share", std::nan("")), "");
  EXPECT_EQ(error_of_bayes("small_share", 1), "");
}

TEST(Strategy, the_default_of_an_option_lies_within_its_bounds) {
  for (const Strategy& strategy : strategies()) {
    for (const StrategyOption& option : strategy.options) {
      if (!option.default_value.is_number()) continue;
      EXPECT_GE(option.default_value.number(), option.least) << strategy.name << ' ' << option.name;
      EXPECT_LE(option.default_value.number(), option.most) << strategy.name << ' ' << option.name;
    }
  }
}

std::string description_of(const SearchTask& task) {
  return make_searcher("auto", task).value()->description();
}

TEST(Auto, tries_all_configurations_if_the_budget_allows) {
  const Space space = checkered_space(10);
  const auto search = make_searcher("auto", {.space = space, .budget = {.trials = 50}}).value();
  EXPECT_EQ(search->description(), "all 50 configurations fit the budget: each is tried");
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(search->ask().has_value());
  EXPECT_EQ(search->ask(), std::nullopt);
}

TEST(Auto, uses_a_model_if_trials_or_time_may_not_suffice) {
  const Space space = checkered_space(10);
  const std::string expected = "a Gaussian process predicts time, cost and failure among 50 configurations";
  EXPECT_EQ(description_of({.space = space, .budget = {.trials = 49}}), expected);
  EXPECT_EQ(description_of({.space = space, .budget = {.trials = 50, .seconds = 1}}), expected);
  EXPECT_EQ(description_of({.space = space}), expected);
}

TEST(Auto, says_how_many_related_trials_it_begins_with) {
  const Space space = checkered_space(10);
  RelatedStudy related{.name = "another GPU", .trials = {}};
  for (std::uint64_t i = 0; i < 30; ++i) related.trials.push_back({.config = space.at(i), .objective = 1.0});
  EXPECT_EQ(
      description_of({.space = space, .related = {related}}),
      "a Gaussian process predicts time, cost and failure; it begins with 30 trials of related studies among "
      "50 configurations");
}

}  // namespace
}  // namespace gktune
