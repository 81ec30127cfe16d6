// The strategies that search by a model other than the Gaussian process.
#include "tuner/search/bayes/model_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "tests/search/small_space.h"

namespace gktune {
namespace {

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

INSTANTIATE_TEST_SUITE_P(Each, ModelSearchTest, testing::Values("trees", "classifier"));

TEST(ModelSearch, the_trees_expect_a_gain_and_the_classifier_none) {
  const Space space = checkered_space(20);
  for (const std::string strategy : {"trees", "classifier"}) {
    const auto searcher = make_searcher(strategy, {.space = space, .seed = 1}).value();
    for (int i = 0; i < 12; ++i) searcher->tell(bordered_trial(*searcher->ask()));
    EXPECT_EQ(searcher->expected_gain().has_value(), strategy == "trees") << strategy;
  }
}

}  // namespace
}  // namespace gktune
