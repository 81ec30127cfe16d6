#include "tuner/search/climb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/search/small_space.h"
#include "tuner/search/random.h"

namespace gktune {
namespace {

// A bowl, lowest at x = 37, y = 71; the diagonals beside that, which no single step leaves, are at 3.
Trial measured(const Config& config) {
  Trial trial{.config = config};
  const double x = config.find("x")->number() - 37, y = config.find("y")->number() - 71;
  trial.objective = 1 + x * x + y * y;
  return trial;
}

double best_after(Searcher& search, int trials) {
  double least = INFINITY;
  for (int i = 0; i < trials; ++i) {
    const Trial trial = measured(*search.ask());
    search.tell(trial);
    least = std::min(least, trial.objective);
  }
  return least;
}

TEST(Climb, finds_a_minimum_more_often_than_random_draws) {
  Space space = checkered_space(100);
  int climbs = 0, draws = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Climb climb({.space = space, .seed = seed});
    Random random({.space = space, .seed = seed});
    if (best_after(climb, 300) <= 3) ++climbs;
    if (best_after(random, 300) <= 3) ++draws;
  }
  EXPECT_EQ(climbs, 20);
  EXPECT_LT(draws, 10);
}

TEST(Climb, proposes_every_configuration_once) {
  Space space = checkered_space(12);
  Climb search({.space = space, .seed = 1});
  std::set<std::string> asked;
  while (auto config = search.ask()) {
    EXPECT_TRUE(asked.insert(config->json()).second);
    search.tell(measured(*config));
  }
  EXPECT_EQ(asked.size(), 72u);
}

TEST(Climb, proposes_every_configuration_once_if_results_come_late) {
  Space space = checkered_space(12);
  Climb search({.space = space, .seed = 2});
  std::set<std::string> asked;
  std::vector<Config> in_flight;
  while (auto config = search.ask()) {
    EXPECT_TRUE(asked.insert(config->json()).second);
    in_flight.push_back(*config);
    if (in_flight.size() < 16) continue;
    search.tell(measured(in_flight.front()));
    in_flight.erase(in_flight.begin());
  }
  EXPECT_EQ(asked.size(), 72u);
}

TEST(Climb, never_proposes_what_it_was_told) {
  Space space = checkered_space(12);
  Climb search({.space = space, .seed = 3});
  std::set<std::string> told;
  for (std::uint64_t i = 0; i < 60; ++i) {
    search.tell(measured(space.at(i)));
    told.insert(space.at(i).json());
  }
  int asked = 0;
  while (auto config = search.ask()) {
    EXPECT_FALSE(told.contains(config->json()));
    search.tell(measured(*config));
    ++asked;
  }
  EXPECT_EQ(asked, 12);
}

TEST(Climb, continues_after_failures_with_random_draws) {
  Space space = checkered_space(12);
  Climb search({.space = space, .seed = 4});
  int asked = 0;
  while (auto config = search.ask()) {
    search.tell(Trial{.config = *config, .status = Status::wrong_result});
    ++asked;
  }
  EXPECT_EQ(asked, 72);
}

}  // namespace
}  // namespace gktune
