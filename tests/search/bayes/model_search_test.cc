#include "tuner/search/bayes/model_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

TEST(Worth, falls_with_cost_and_with_the_probability_of_failure) {
  EXPECT_DOUBLE_EQ(worth_of(1, 0, 0), 1);
  EXPECT_LT(worth_of(1, 1, 0), 1);
  EXPECT_DOUBLE_EQ(worth_of(1, 0, 0.5), 0.5);
  EXPECT_GT(worth_of(1, 0, 2), 0);
  EXPECT_DOUBLE_EQ(worth_of(1, 0, -1), 1);
}

// A bowl, lowest at x = 37, y = 21; x above 50 fails.
Trial bordered_trial(const Config& config) {
  Trial trial{.config = config, .compile_s = 0.1};
  const double x = config.find("x")->number() - 37, y = config.find("y")->number() - 21;
  trial.objective = 100 + x * x + y * y;
  if (config.find("x")->integer() > 50) trial.status = Status::launch_failed;
  return trial;
}

class ModelSearchTest : public ::testing::Test {
 protected:
  std::unique_ptr<Searcher> make(std::uint64_t seed, std::vector<RelatedStudy> related = {}) {
    return make_searcher("bayes", {.space = space_, .seed = seed, .related = std::move(related)}).value();
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

TEST_F(ModelSearchTest, finds_the_minimum_with_several_trials_in_flight) {
  EXPECT_LE(search(*make(1), 80, 8).least, 115);
}

TEST_F(ModelSearchTest, avoids_configurations_that_fail) { EXPECT_LT(search(*make(2), 60).failures, 15); }

TEST_F(ModelSearchTest, begins_where_a_related_study_was_best) {
  RelatedStudy related{.name = "another device", .trials = {}};
  for (std::uint64_t i = 0; i < 1800; i += 7) related.trials.push_back(bordered_trial(space_.at(i)));
  const auto searcher = make(1, {related});
  EXPECT_NE(searcher->description().find("trials of related studies"), std::string::npos);
  EXPECT_LE(search(*searcher, 5).least, 200);
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

TEST(Bayes, uses_its_model_after_two_trials_if_enough_are_in_flight) {
  const Space space = checkered_space(60);
  const auto search = made_bayes({.space = space, .seed = 1});
  std::vector<Config> in_flight;
  for (int i = 0; i < 4; ++i) in_flight.push_back(*search->ask());
  for (const std::uint64_t i : {0u, 900u}) search->expect(space.at(i));
  search->tell(bowl_trial(in_flight[0]));
  search->ask();
  EXPECT_EQ(search->expected_gain(), std::nullopt);
  search->tell(bowl_trial(in_flight[1]));
  search->ask();
  EXPECT_NE(search->expected_gain(), std::nullopt);
}

TEST(Bayes, begins_with_small_aligned_configurations_if_alignment_differs) {
  Parameter block{.name = "block"}, tile{.name = "tile"};
  for (int i = 1; i <= 32; ++i) block.values.emplace_back(i);
  for (int i = 1; i <= 32; ++i) tile.values.emplace_back(i);
  const Space space = Space::build({block, tile}, {}, Scope()).value();
  const auto search = made_bayes({.space = space, .seed = 1});
  for (int i = 0; i < 8; ++i) {
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
