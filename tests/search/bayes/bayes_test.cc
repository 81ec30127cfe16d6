#include "tuner/search/bayes/bayes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

// A bowl, lowest at x = 37, y = 21.
Trial bowl_trial(const Config& config, double factor = 1) {
  Trial trial{.config = config};
  const double x = config.find("x")->number() - 37, y = config.find("y")->number() - 21;
  trial.objective = factor * (100 + x * x + y * y);
  trial.run_s = trial.objective / 1000;
  return trial;
}

double best_of(Searcher& search, int trials) {
  double least = INFINITY;
  for (int i = 0; i < trials; ++i) {
    const Trial trial = bowl_trial(*search.ask());
    search.tell(trial);
    least = std::min(least, trial.objective);
  }
  return least;
}

TEST(Bayes, finds_the_minimum_in_few_trials) {
  const Space space = checkered_space(60);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Bayes search({.space = space, .seed = seed});
    EXPECT_LE(best_of(search, 35), 104) << seed;
  }
}

TEST(Bayes, changes_its_search_with_its_options) {
  const Space space = checkered_space(60);
  Bayes standard({.space = space, .seed = 1});
  Bayes later({.space = space, .seed = 1}, {.spread_points = 12});
  best_of(standard, 12);
  best_of(later, 12);
  EXPECT_NE(standard.expected_gain(), std::nullopt);
  EXPECT_EQ(later.expected_gain(), std::nullopt);  // the model made no proposal yet
}

TEST(Bayes, uses_its_model_after_four_trials_if_alignment_matters_little) {
  Parameter x{.name = "x", .values = {}}, y{.name = "y"};
  for (int i = 0; i < 7; ++i) {
    x.values.emplace_back(1 << i);
    y.values.emplace_back(1 << i);
  }
  const Space space = Space::build({x, y}, {}, Scope()).value();
  Bayes standard({.space = space, .seed = 1});
  Bayes later({.space = space, .seed = 1}, {.covering_points = 6});
  best_of(standard, 5);
  best_of(later, 6);
  EXPECT_NE(standard.expected_gain(), std::nullopt);
  EXPECT_EQ(later.expected_gain(), std::nullopt);
}

TEST(Bayes, begins_with_small_aligned_configurations_if_alignment_differs) {
  Parameter block{.name = "block"}, tile{.name = "tile"};
  for (int i = 1; i <= 32; ++i) block.values.emplace_back(i);
  for (int i = 1; i <= 32; ++i) tile.values.emplace_back(i);
  const Space space = Space::build({block, tile}, {}, Scope()).value();
  Bayes search({.space = space, .seed = 1}, {.small_points = 10});
  for (int i = 0; i < 10; ++i) {
    const Config config = *search.ask();
    EXPECT_EQ(config.find("block")->integer() * config.find("tile")->integer() % 16, 0) << config.str();
    search.tell({.config = config, .objective = config.find("block")->number(), .run_s = 1});
  }
  EXPECT_NE(search.expected_gain(), std::nullopt);
}

TEST(Bayes, begins_where_a_related_study_was_best) {
  const Space space = checkered_space(60);
  RelatedStudy related{.name = "a slower device", .trials = {}};
  for (std::uint64_t i = 0; i < 1800; i += 7) related.trials.push_back(bowl_trial(space.at(i), 20));
  Bayes search({.space = space, .seed = 1, .related = {related}});
  EXPECT_LE(best_of(search, 5), 130);
}

TEST(Bayes, trials_of_a_related_study_that_do_not_fit_the_space_are_left_out) {
  const Space space = checkered_space(10);
  RelatedStudy related{.name = "an earlier version",
                       .trials = {{.config = {{"x", 77}, {"y", 1}}, .objective = 1.0}}};
  Bayes search({.space = space, .related = {related}});
  EXPECT_EQ(search.description(), "a Gaussian process predicts time, cost and failure");
}

TEST(Bayes, a_related_trial_with_other_parameters_counts_with_the_defaults_of_the_new_ones) {
  const Space space = checkered_space(10);
  RelatedStudy related{.name = "an earlier version",
                       .trials = {{.config = {{"x", 4}, {"gone", true}}, .objective = 1.0},
                                  {.config = {{"x", 8}, {"gone", true}}, .objective = 2.0}}};
  Bayes search({.space = space, .related = {related}});
  EXPECT_EQ(search.ask(), (Config{{"x", 4}, {"y", 4}}));
}

TEST(Bayes, expects_less_after_the_minimum_is_found) {
  const Space space = checkered_space(60);
  Bayes search({.space = space, .seed = 2});
  EXPECT_EQ(search.expected_gain(), std::nullopt);
  best_of(search, 10);
  const double early = search.expected_gain().value();
  best_of(search, 50);
  EXPECT_LT(search.expected_gain().value(), early);
  EXPECT_LT(search.expected_gain().value(), 0.02);
  EXPECT_GE(search.expected_gain().value(), 0);
}

TEST(Bayes, avoids_configurations_that_fail) {
  const Space space = checkered_space(40);
  Bayes search({.space = space, .seed = 3});
  int failures = 0;
  for (int i = 0; i < 60; ++i) {
    const Config config = *search.ask();
    Trial trial = bowl_trial(config);
    if (config.find("x")->integer() > 20) trial.status = Status::launch_failed;
    failures += !trial.ok();
    search.tell(trial);
  }
  EXPECT_LT(failures, 25);
}

TEST(Bayes, only_the_last_result_of_a_configuration_counts) {
  const Space space = checkered_space(6);
  Bayes search({.space = space, .seed = 4});
  for (std::uint64_t i = 0; i < 8; ++i) search.tell(bowl_trial(space.at(i)));
  search.tell({.config = space.at(3u), .status = Status::wrong_result});
  int asked = 0;
  while (const auto config = search.ask()) {
    search.tell(bowl_trial(*config));
    ++asked;
  }
  EXPECT_EQ(asked, 10);
}

}  // namespace
}  // namespace gktune
