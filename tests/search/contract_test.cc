// The properties that every strategy must have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "tests/search/small_space.h"
#include "tuner/search/strategy.h"

namespace gktune {
namespace {

// Numbers, names and switches: a kernel's parameters.
Space mixed_space() {
  Parameter block{.name = "block"}, way{.name = "way"}, fast{.name = "fast"}, unroll{.name = "unroll"};
  for (int value = 64; value <= 512; value += 64) block.values.emplace_back(value);
  way.values = {"tree", "shuffle", "atomic"};
  fast.values = {false, true};
  unroll.values = {1, 2, 4};
  return Space::build({block, way, fast, unroll},
                      {constraint("block * unroll <= 1024"), constraint("way != 'atomic' or not fast")},
                      Scope())
      .value();
}

// 10¹² configurations.
Space vast_space() {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 12; ++i) {
    Parameter parameter{.name = "p" + std::to_string(i)};
    for (int value = 1; value <= 11; ++value) parameter.values.emplace_back(value);
    parameters.push_back(std::move(parameter));
  }
  return Space::build(std::move(parameters), {constraint("(p0 + p5) % 2 == 0")}, Scope()).value();
}

// A bowl over the ranks; one of seven configurations fails.
Trial measured(const Space& space, const Config& config) {
  Trial trial{.config = config, .compile_s = 0.1, .run_s = 0.05};
  double sum = 0;
  std::size_t hash = 0;
  const Space::Ranks ranks = *space.ranks_of(config);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    sum += std::pow(static_cast<double>(ranks[i]) - 1, 2);
    hash = hash * 31 + ranks[i];
  }
  trial.objective = trial.timing.median_us = 10 + sum;
  if (hash % 7 == 3) trial.status = Status::launch_failed;
  return trial;
}

class Contract : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Searcher> make(const Space& space, std::uint64_t seed = 1) {
    return make_searcher(GetParam(), {.space = space, .seed = seed}).value();
  }

  // Asks and tells until the search ends or `most` configurations were proposed. At most `in_flight`
  // proposals wait for their results; with more than one, results come in another order.
  std::vector<Config> search(const Space& space, Searcher& searcher, std::size_t in_flight,
                             std::size_t most = SIZE_MAX,
                             Trial (*trial_of)(const Space&, const Config&) = measured) {
    std::vector<Config> asked;
    std::deque<Config> waiting;
    std::mt19937_64 random(5);
    while (true) {
      while (waiting.size() < in_flight && asked.size() < most) {
        auto config = searcher.ask();
        if (!config) break;
        asked.push_back(*config);
        waiting.push_back(*std::move(config));
      }
      if (waiting.empty()) return asked;
      const auto place = static_cast<std::ptrdiff_t>(random() % waiting.size());
      searcher.tell(trial_of(space, waiting[static_cast<std::size_t>(place)]));
      waiting.erase(waiting.begin() + place);
    }
  }

  void expect_valid_and_different(const Space& space, const std::vector<Config>& asked) {
    std::set<std::string> seen;
    for (const Config& config : asked) {
      EXPECT_TRUE(space.contains(config)) << config.str();
      EXPECT_TRUE(seen.insert(config.json()).second) << config.str();
    }
  }
};

TEST_P(Contract, proposes_every_configuration_once_however_many_are_in_flight) {
  for (const Space& space : {checkered_space(12), mixed_space()}) {
    for (const std::size_t in_flight : {1u, 4u, 16u}) {
      const auto searcher = make(space);
      const auto asked = search(space, *searcher, in_flight);
      expect_valid_and_different(space, asked);
      EXPECT_EQ(Count(asked.size()), space.size()) << in_flight;
      EXPECT_EQ(searcher->ask(), std::nullopt);
      EXPECT_EQ(searcher->ask(), std::nullopt);
    }
  }
}

TEST_P(Contract, one_seed_gives_one_search) {
  const Space space = mixed_space();
  for (const std::size_t in_flight : {1u, 5u}) {
    const auto first = search(space, *make(space, 3), in_flight, 60);
    EXPECT_EQ(first, search(space, *make(space, 3), in_flight, 60));
    if (GetParam() == "exhaustive") continue;
    EXPECT_NE(first, search(space, *make(space, 4), in_flight, 60));
  }
}

TEST_P(Contract, does_not_propose_what_it_was_told) {
  const Space space = checkered_space(12);
  const auto searcher = make(space);
  std::set<std::string> told;
  for (std::uint64_t i = 0; i < 60; ++i) {
    searcher->tell(measured(space, space.at(i)));
    told.insert(space.at(i).json());
  }
  const auto asked = search(space, *searcher, 3);
  EXPECT_EQ(asked.size(), 12u);
  for (const Config& config : asked) EXPECT_FALSE(told.contains(config.json()));
}

TEST_P(Contract, does_not_propose_what_another_tuner_tries) {
  const Space space = checkered_space(12);
  for (const std::uint64_t before : {0u, 30u}) {  // that this one has measured
    const auto searcher = make(space);
    std::vector<Config> taken = search(space, *searcher, 1, before);
    const auto asked_first = std::ssize(taken);
    for (std::uint64_t i = 0; i < 40; ++i) {
      const Config config = space.at(i);
      if (std::ranges::find(taken, config) == taken.end()) taken.push_back(config);
      searcher->expect(config);
    }
    const std::vector<Config> expected(taken.begin() + asked_first, taken.end());
    std::ranges::move(search(space, *searcher, 3, 10), std::back_inserter(taken));
    for (const Config& config : expected) searcher->tell(measured(space, config));
    std::ranges::move(search(space, *searcher, 3), std::back_inserter(taken));
    expect_valid_and_different(space, taken);
    EXPECT_EQ(Count(taken.size()), space.size());
    EXPECT_EQ(searcher->ask(), std::nullopt);
  }
}

TEST_P(Contract, a_trial_of_another_space_changes_nothing) {
  const Space space = checkered_space(4);
  const auto searcher = make(space);
  searcher->tell({.config = {{"x", 77}, {"y", 1}}, .objective = 1});
  searcher->tell({.config = {{"x", 1}, {"y", 2}}, .objective = 1});
  searcher->tell({.config = {{"z", "odd"}}, .objective = 1});
  EXPECT_EQ(search(space, *searcher, 2).size(), 8u);
}

TEST_P(Contract, ends_if_everything_fails) {
  const Space space = checkered_space(12);
  const auto searcher = make(space);
  const auto failing = [](const Space&, const Config& config) {
    return Trial{.config = config, .status = Status::compile_failed, .compile_s = 1};
  };
  EXPECT_EQ(search(space, *searcher, 4, SIZE_MAX, failing).size(), 72u);
}

TEST_P(Contract, ends_if_everything_takes_the_same_time) {
  const Space space = checkered_space(12);
  const auto searcher = make(space);
  const auto alike = [](const Space&, const Config& config) {
    return Trial{.config = config, .objective = 5};
  };
  EXPECT_EQ(search(space, *searcher, 4, SIZE_MAX, alike).size(), 72u);
}

TEST_P(Contract, proposes_the_only_configuration_of_a_space_once) {
  Parameter only{.name = "x"};
  only.values = {7};
  const Space space = Space::build({only}, {}, Scope()).value();
  const auto searcher = make(space);
  EXPECT_EQ(searcher->ask(), (Config{{"x", 7}}));
  EXPECT_EQ(searcher->ask(), std::nullopt);
  searcher->tell({.config = {{"x", 7}}, .objective = 3});
  EXPECT_EQ(searcher->ask(), std::nullopt);
}

TEST_P(Contract, does_not_list_a_vast_space) {
  const Space space = vast_space();
  for (const std::size_t in_flight : {1u, 8u}) {
    const auto asked = search(space, *make(space), in_flight, 80);
    expect_valid_and_different(space, asked);
    EXPECT_EQ(asked.size(), 80u);
  }
}

std::vector<std::string> names_without_programs() {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies()) {
    if (strategy.name != "external") names.emplace_back(strategy.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Every, Contract, testing::ValuesIn(names_without_programs()), [](const auto& each) {
  std::string name = each.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace gktune
