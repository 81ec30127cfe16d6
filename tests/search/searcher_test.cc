#include "tuner/search/searcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/search/small_space.h"
#include "tuner/search/draws.h"
#include "tuner/search/strategy.h"

namespace gktune {
namespace {

// A parameter of each kind, one of them without a choice.
Space mixed_space() {
  const std::vector<Parameter> parameters = {{.name = "way", .values = {"plain", "tiled", "shared"}},
                                             {.name = "threads", .values = {32, 64, 96, 128}},
                                             {.name = "flag", .values = {false, true}},
                                             {.name = "share", .values = {0.25, 0.5, 1.0}},
                                             {.name = "fixed", .values = {7}}};
  return Space::build(parameters, {constraint("way != \"plain\" or threads <= 64")}, Scope()).value();
}

// Quickest with 96 threads in the way `tiled`; 128 threads fail.
Trial tried(const Config& config) {
  Trial trial{.config = config};
  const double threads = config.find("threads")->number();
  if (threads > 100) trial.status = Status::launch_failed;
  trial.objective = 10 + std::abs(threads - 96) / 10 + (config.find("way")->text() == "tiled" ? 0 : 5) +
                    config.find("share")->number();
  trial.compile_s = 0.1;
  trial.run_s = trial.objective / 100;
  return trial;
}

std::unique_ptr<Searcher> make(std::string_view strategy, const Space& space, std::uint64_t seed = 1) {
  return make_searcher(strategy, {.space = space, .seed = seed}).value();
}

// All that it asks for, told in a random order with so many in flight.
std::vector<std::string> all_asked(Searcher& searcher, std::size_t in_flight, std::size_t limit) {
  std::vector<std::string> asked;
  std::vector<Config> flying;
  std::mt19937_64 random(9);
  while (asked.size() < limit) {
    const auto config = searcher.ask();
    if (config) {
      asked.push_back(config->json());
      flying.push_back(*config);
      if (flying.size() < in_flight) continue;
    } else if (flying.empty()) {
      break;
    }
    const auto place = static_cast<std::ptrdiff_t>(draw_place(random, flying.size()));
    searcher.tell(tried(flying[static_cast<std::size_t>(place)]));
    flying.erase(flying.begin() + place);
  }
  return asked;
}

class EveryStrategy : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryStrategy, asks_for_each_valid_configuration_once_and_ends) {
  const Space space = mixed_space();
  for (const std::size_t in_flight : {1, 4, 16}) {
    const auto searcher = make(GetParam(), space);
    const auto asked = all_asked(*searcher, in_flight, 1000);
    EXPECT_EQ(Count(asked.size()), space.size());
    EXPECT_EQ(std::set(asked.begin(), asked.end()).size(), asked.size());
    EXPECT_EQ(searcher->ask(), std::nullopt);
  }
}

TEST_P(EveryStrategy, one_seed_gives_one_order) {
  const Space space = mixed_space();
  const auto first = make(GetParam(), space, 5), second = make(GetParam(), space, 5);
  EXPECT_EQ(all_asked(*first, 3, 30), all_asked(*second, 3, 30));
}

TEST_P(EveryStrategy, asks_for_nothing_that_was_told_before) {
  const Space space = mixed_space();
  const auto searcher = make(GetParam(), space);
  std::set<std::string> told;
  for (std::uint64_t i = 0; i < 20; ++i) {
    searcher->tell(tried(space.at(i * 2)));
    told.insert(space.at(i * 2).json());
  }
  const auto asked = all_asked(*searcher, 2, 1000);
  EXPECT_EQ(Count(asked.size() + told.size()), space.size());
  for (const std::string& config : asked) EXPECT_FALSE(told.contains(config)) << config;
}

TEST_P(EveryStrategy, goes_on_though_everything_fails) {
  const Space space = mixed_space();
  const auto searcher = make(GetParam(), space);
  std::size_t asked = 0;
  while (const auto config = searcher->ask()) {
    searcher->tell(Trial{.config = *config, .status = Status::compile_failed});
    ++asked;
  }
  EXPECT_EQ(Count(asked), space.size());
}

TEST_P(EveryStrategy, a_trial_of_another_space_changes_nothing) {
  const Space space = mixed_space();
  const auto searcher = make(GetParam(), space);
  searcher->tell(Trial{.config = {{"threads", 77}, {"way", 1}}});
  EXPECT_EQ(Count(all_asked(*searcher, 1, 1000).size()), space.size());
}

TEST_P(EveryStrategy, searches_a_space_too_large_to_list) {
  std::vector<Parameter> parameters;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    parameters.push_back({.name = name, .values = {}});
    for (int value = 1; value <= 40; ++value) parameters.back().values.emplace_back(value);
  }
  const Space space = Space::build(parameters, {constraint("a + b <= 60")}, Scope()).value();
  const auto searcher = make(GetParam(), space);
  std::set<std::string> asked;
  for (int i = 0; i < 24; ++i) {
    const auto config = searcher->ask();
    ASSERT_TRUE(config && space.contains(*config));
    EXPECT_TRUE(asked.insert(config->json()).second);
    searcher->tell(Trial{.config = *config, .objective = config->find("c")->number()});
  }
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> found;
  for (const Strategy& strategy : strategies()) found.push_back(strategy.name);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Searcher, EveryStrategy, ::testing::ValuesIn(names()),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace gktune
