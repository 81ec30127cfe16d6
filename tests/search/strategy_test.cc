#include "tuner/search/strategy.h"

#include <gtest/gtest.h>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

TEST(Strategy, an_unknown_name_is_an_error_that_lists_the_known_ones) {
  Space space = checkered_space(3);
  auto searcher = make_searcher("ramdom", {.space = space});
  ASSERT_FALSE(searcher.ok());
  EXPECT_EQ(searcher.error().message,
            "no strategy is called 'ramdom'; there are auto, bayes, genetic, random, exhaustive, external");
}

TEST(Strategy, an_unknown_option_is_an_error) {
  Space space = checkered_space(3);
  auto searcher = make_searcher("random", {.space = space, .options = {{"populaton", 5}}});
  ASSERT_FALSE(searcher.ok());
  EXPECT_EQ(searcher.error().message, "strategy 'random' has no option 'populaton'");
}

TEST(Strategy, an_option_of_another_kind_is_an_error) {
  const Space space = checkered_space(3);
  const auto error = [&](Value value) {
    return make_searcher("genetic", {.space = space, .options = {{"population", value}}}).error().message;
  };
  EXPECT_EQ(error("many"), "option 'population' of strategy 'genetic' is 'many', not a whole number");
  EXPECT_EQ(error(2.5), "option 'population' of strategy 'genetic' is '2.5', not a whole number");
}

TEST(Strategy, an_option_changes_the_search) {
  const Space space = checkered_space(60);
  const auto last_of = [&](int population) {
    const auto search =
        make_searcher("genetic", {.space = space, .seed = 1, .options = {{"population", population}}})
            .value();
    Config config;
    for (int i = 0; i < 12; ++i) {
      config = *search->ask();
      search->tell({.config = config, .objective = config.find("x")->number()});
    }
    return config;
  };
  EXPECT_NE(last_of(4), last_of(20));
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
