#include "tuner/recording/recording.h"

#include <gtest/gtest.h>

#include <set>

namespace gktune {
namespace {

Recording recorded(std::vector<Config> configs) {
  Recording recording;
  for (const auto& [name, value] : configs.front()) recording.parameters.push_back({.name = name});
  for (Config& config : configs) recording.trials.push_back({.config = std::move(config), .objective = 1});
  return complete(std::move(recording)).value();
}

TEST(Recording, has_a_space_of_exactly_the_recorded_configurations) {
  const std::vector<Config> configs = {{{"x", 1}, {"way", "a"}, {"z", 7}},
                                       {{"x", 4}, {"way", "a"}, {"z", 7}},
                                       {{"x", 4}, {"way", "b"}, {"z", 7}},
                                       {{"x", 2}, {"way", "b"}, {"z", 7}}};
  const Space space = space_of(recorded(configs));
  ASSERT_EQ(space.size(), Count(4));
  EXPECT_EQ(space.cartesian(), Count(6));
  std::set<std::string> listed, wanted;
  for (std::uint64_t i = 0; i < 4; ++i) {
    listed.insert(space.at(i).json());
    EXPECT_EQ(space.index_of(space.at(i)), Count(i));
  }
  for (const Config& config : configs) wanted.insert(config.json());
  EXPECT_EQ(listed, wanted);
  EXPECT_FALSE(space.contains({{"x", 1}, {"way", "b"}, {"z", 7}}));
  EXPECT_EQ(space.choices(*space.ranks_of(configs[1]), 0).size(), 2u);
}

TEST(Recording, a_single_configuration_is_a_space) {
  const Space space = space_of(recorded({{{"x", 1}}}));
  EXPECT_EQ(space.size(), Count(1));
  EXPECT_EQ(space.at(std::uint64_t{0}), (Config{{"x", 1}}));
}

TEST(Recording, trials_with_other_parameters_are_an_error) {
  Recording recording{.parameters = {{.name = "x"}},
                      .trials = {{.config = {{"x", 1}}}, {.config = {{"x", 1}, {"y", 2}}}}};
  EXPECT_EQ(complete(recording).error().message,
            "configuration x=1 y=2 has other parameters than the others");
}

}  // namespace
}  // namespace gktune
