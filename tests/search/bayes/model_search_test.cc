#include "tuner/search/bayes/model_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

TEST(ExpectedImprovement, equals_the_gain_of_a_sure_prediction) {
  EXPECT_NEAR(expected_improvement(1.0, 1e-12, 3.0), 2.0, 1e-6);
  EXPECT_NEAR(expected_improvement(3.0, 1e-12, 1.0), 0.0, 1e-6);
}

TEST(ExpectedImprovement, is_a_share_of_the_deviation_if_the_prediction_equals_the_best) {
  EXPECT_NEAR(expected_improvement(1.0, 4.0, 1.0), 2 / std::sqrt(2 * M_PI), 1e-12);
}

TEST(ExpectedImprovement, grows_with_the_variance) {
  EXPECT_LT(expected_improvement(2.0, 0.1, 1.0), expected_improvement(2.0, 1.0, 1.0));
}

TEST(Worth, falls_with_cost_and_with_the_probability_of_failure) {
  EXPECT_DOUBLE_EQ(worth_of(1, 0, 0, 0.5), 1);
  EXPECT_LT(worth_of(1, 1, 0, 0.5), 1);
  EXPECT_DOUBLE_EQ(worth_of(1, 1, 0, 0), 1);
  EXPECT_LT(worth_of(1, 1, 0, 1), worth_of(1, 1, 0, 0.5));
  EXPECT_DOUBLE_EQ(worth_of(1, 0, 0.5, 0.5), 0.5);
  EXPECT_GT(worth_of(1, 0, 2, 0.5), 0);
  EXPECT_DOUBLE_EQ(worth_of(1, 0, -1, 0.5), 1);
}

// A bowl, lowest at x = 37, y = 21; x above 50 fails.
Trial bordered_trial(const Config& config) {
  Trial trial{.config = config, .compile_s = 0.1};
  const double x = config.find("x")->number() - 37, y = config.find("y")->number() - 21;
  trial.objective = 100 + x * x + y * y;
  if (config.find("x")->integer() > 50) trial.status = Status::launch_failed;
  return trial;
}

class ModelSearchTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Searcher> make(std::uint64_t seed, std::vector<RelatedStudy> related = {}) {
    return make_searcher(GetParam(), {.space = space_, .seed = seed, .related = std::move(related)}).value();
  }
  struct Found {
    double least = INFINITY;
    int failures = 0;
  };
  Found search(Searcher& searcher, int trials, std::size_t in_flight = 1) {
    Found found;
    std::deque<Config> waiting;
    for (int i = 0; i < trials; ++i) {
      while (waiting.size() < in_flight) waiting.push_back(*searcher.ask());
      const Trial trial = bordered_trial(waiting.front());
      waiting.pop_front();
      searcher.tell(trial);
      found.failures += !trial.ok();
      if (trial.ok()) found.least = std::min(found.least, trial.objective);
    }
    return found;
  }
  Space space_ = checkered_space(60);
};

TEST_P(ModelSearchTest, finds_the_minimum_in_few_trials) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) EXPECT_LE(search(*make(seed), 60).least, 110) << seed;
}

TEST_P(ModelSearchTest, finds_the_minimum_with_several_trials_in_flight) {
  EXPECT_LE(search(*make(1), 80, 8).least, 115);
}

TEST_P(ModelSearchTest, avoids_configurations_that_fail) { EXPECT_LT(search(*make(2), 60).failures, 15); }

TEST_P(ModelSearchTest, begins_where_a_related_study_was_best) {
  RelatedStudy related{.name = "another device", .trials = {}};
  for (std::uint64_t i = 0; i < 1800; i += 7) related.trials.push_back(bordered_trial(space_.at(i)));
  const auto searcher = make(1, {related});
  EXPECT_NE(searcher->description().find("trials of related studies"), std::string::npos);
  EXPECT_LE(search(*searcher, 5).least, 200);
}

INSTANTIATE_TEST_SUITE_P(Each, ModelSearchTest, testing::Values("bayes", "trees", "classifier"));

TEST(ModelSearch, the_trees_expect_a_gain_and_the_classifier_none) {
  const Space space = checkered_space(20);
  for (const std::string strategy : {"trees", "classifier"}) {
    const auto searcher = make_searcher(strategy, {.space = space, .seed = 1}).value();
    for (int i = 0; i < 12; ++i) searcher->tell(bordered_trial(*searcher->ask()));
    EXPECT_EQ(searcher->expected_gain().has_value(), strategy == "trees") << strategy;
  }
}

// A bowl, lowest at x = 37, y = 21.
Trial bowl_trial(const Config& config) {
  Trial trial{.config = config};
  const double x = config.find("x")->number() - 37, y = config.find("y")->number() - 21;
  trial.objective = 100 + x * x + y * y;
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

std::unique_ptr<Searcher> made_bayes(SearchTask task) {
  return make_searcher("bayes", std::move(task)).value();
}

TEST(Bayes, finds_the_minimum_in_few_trials) {
  const Space space = checkered_space(60);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto search = made_bayes({.space = space, .seed = seed});
    EXPECT_LE(best_of(*search, 35), 104) << seed;
  }
}

TEST(Bayes, changes_its_search_with_its_options) {
  const Space space = checkered_space(60);
  const auto standard = made_bayes({.space = space, .seed = 1});
  const auto later = made_bayes({.space = space, .seed = 1, .options = {{"spread_points", 12}}});
  best_of(*standard, 12);
  best_of(*later, 12);
  EXPECT_NE(standard->expected_gain(), std::nullopt);
  EXPECT_EQ(later->expected_gain(), std::nullopt);  // the model made no proposal yet
}

TEST(Bayes, uses_its_model_after_four_trials_if_alignment_matters_little) {
  Parameter x{.name = "x", .values = {}}, y{.name = "y"};
  for (int i = 0; i < 7; ++i) {
    x.values.emplace_back(1 << i);
    y.values.emplace_back(1 << i);
  }
  const Space space = Space::build({x, y}, {}, Scope()).value();
  const auto standard = made_bayes({.space = space, .seed = 1});
  const auto later = made_bayes({.space = space, .seed = 1, .options = {{"covering_points", 6}}});
  best_of(*standard, 5);
  best_of(*later, 6);
  EXPECT_NE(standard->expected_gain(), std::nullopt);
  EXPECT_EQ(later->expected_gain(), std::nullopt);
}

TEST(Bayes, begins_with_small_aligned_configurations_if_alignment_differs) {
  Parameter block{.name = "block"}, tile{.name = "tile"};
  for (int i = 1; i <= 32; ++i) block.values.emplace_back(i);
  for (int i = 1; i <= 32; ++i) tile.values.emplace_back(i);
  const Space space = Space::build({block, tile}, {}, Scope()).value();
  const auto search = made_bayes({.space = space, .seed = 1, .options = {{"small_points", 10}}});
  for (int i = 0; i < 10; ++i) {
    const Config config = *search->ask();
    EXPECT_EQ(config.find("block")->integer() * config.find("tile")->integer() % 16, 0) << config.str();
    search->tell({.config = config, .objective = config.find("block")->number(), .run_s = 1});
  }
  EXPECT_NE(search->expected_gain(), std::nullopt);
}

TEST(Bayes, trials_of_a_related_study_that_do_not_fit_the_space_are_left_out) {
  const Space space = checkered_space(10);
  RelatedStudy related{.name = "an earlier version",
                       .trials = {{.config = {{"x", 77}, {"y", 1}}, .objective = 1.0}}};
  const auto search = made_bayes({.space = space, .related = {related}});
  EXPECT_EQ(search->description(), "a Gaussian process predicts time, cost and failure");
}

TEST(Bayes, a_related_trial_with_other_parameters_counts_with_the_defaults_of_the_new_ones) {
  const Space space = checkered_space(10);
  RelatedStudy related{.name = "an earlier version",
                       .trials = {{.config = {{"x", 4}, {"gone", true}}, .objective = 1.0},
                                  {.config = {{"x", 8}, {"gone", true}}, .objective = 2.0}}};
  const auto search = made_bayes({.space = space, .related = {related}});
  EXPECT_EQ(search->ask(), (Config{{"x", 4}, {"y", 4}}));
}

TEST(Bayes, expects_less_after_the_minimum_is_found) {
  const Space space = checkered_space(60);
  const auto search = made_bayes({.space = space, .seed = 2});
  EXPECT_EQ(search->expected_gain(), std::nullopt);
  best_of(*search, 10);
  const double early = search->expected_gain().value();
  best_of(*search, 50);
  EXPECT_LT(search->expected_gain().value(), early);
  EXPECT_LT(search->expected_gain().value(), 0.02);
  EXPECT_GE(search->expected_gain().value(), 0);
}

TEST(Bayes, proposes_by_its_process_alone_until_nothing_better_is_found_for_a_while) {
  const Space space = checkered_space(60);
  const auto soon = made_bayes({.space = space, .seed = 1, .options = {{"patience", 15}}});
  const auto late = made_bayes({.space = space, .seed = 1, .options = {{"patience", 1000}}});
  const auto next_of = [](Searcher& search) {
    const Config config = *search.ask();
    search.tell({.config = config, .objective = 5});
    return config;
  };
  for (int i = 0; i < 30; ++i) EXPECT_EQ(next_of(*soon), next_of(*late)) << i;
  int different = 0;
  for (int i = 0; i < 10; ++i) different += next_of(*soon) != next_of(*late);
  EXPECT_GT(different, 0);
}

TEST(Bayes, only_the_last_result_of_a_configuration_counts) {
  const Space space = checkered_space(6);
  const auto search = made_bayes({.space = space, .seed = 4});
  for (std::uint64_t i = 0; i < 8; ++i) search->tell(bowl_trial(space.at(i)));
  search->tell({.config = space.at(3u), .status = Status::wrong_result});
  int asked = 0;
  while (const auto config = search->ask()) {
    search->tell(bowl_trial(*config));
    ++asked;
  }
  EXPECT_EQ(asked, 10);
}

}  // namespace
}  // namespace gktune
