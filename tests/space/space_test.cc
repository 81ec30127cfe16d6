#include "tuner/space/solver/space.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace gktune {
namespace {

Parameter parameter(std::string name, std::vector<Value> values) {
  return {std::move(name), std::move(values), std::nullopt};
}

Parameter up_to(std::string name, int last) {
  Parameter made{std::move(name), {}, std::nullopt};
  for (int value = 0; value <= last; ++value) made.values.emplace_back(value);
  return made;
}

std::vector<Constraint> constraints(const std::vector<std::string>& texts) {
  std::vector<Constraint> parsed;
  for (const std::string& text : texts) parsed.push_back({Expression::parse(text).value()});
  return parsed;
}

Result<Space, SpaceError> try_build(const std::vector<Parameter>& parameters,
                                    const std::vector<std::string>& texts, const Scope& scope = {}) {
  return Space::build(parameters, constraints(texts), scope);
}

Space build(const std::vector<Parameter>& parameters, const std::vector<std::string>& texts,
            const Scope& scope = {}) {
  auto space = try_build(parameters, texts, scope);
  if (!space) throw std::runtime_error(space.error().message);
  return std::move(*space);
}

std::string listing(const Space& space) {
  std::string all;
  for (std::uint64_t index = 0; index < space.size(); ++index) {
    for (const auto& [name, value] : space.at(index)) all += value.str();
    all += ' ';
  }
  return all;
}

TEST(Space, has_every_combination_in_the_order_of_the_file_without_constraints) {
  const Space space = build({parameter("a", {2, 1}), parameter("b", {"x", "y", "z"})}, {});
  EXPECT_EQ(space.size(), 6);
  EXPECT_EQ(listing(space), "2x 2y 2z 1x 1y 1z ");
}

TEST(Space, has_one_configuration_without_parameters) {
  const Space space = build({}, {});
  EXPECT_EQ(space.size(), 1);
  EXPECT_TRUE(space.at(0).empty());
  EXPECT_EQ(space.index_of(Config()), Count(0));
  EXPECT_EQ(*space.default_config(), Config());
}

TEST(Space, parameters_with_one_value_are_constants) {
  const Space space = build({parameter("one", {4}), up_to("a", 9)}, {"a % one == 0"});
  EXPECT_EQ(listing(space), "40 44 48 ");
  EXPECT_EQ(space.cartesian(), 10);
}

TEST(Space, depends_on_the_problem_and_the_device) {
  const NamedValues problem = {{"n", 64}, {"T", "double"}};
  const NamedValues device = {{"max_threads_per_block", 32}};
  const Scope scope = Scope().add(problem).add(device, "device.");
  const std::vector<Parameter> parameters = {parameter("block", {16, 32, 64, 128}),
                                             parameter("vec", {1, 2, 4})};
  EXPECT_EQ(
      listing(build(parameters,
                    {"n % block == 0", "block <= device.max_threads_per_block", "T == 'float' or vec <= 2"},
                    scope)),
      "161 162 321 322 ");
}

TEST(Space, an_index_beyond_64_bits_is_exact) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 30; ++i) parameters.push_back(up_to("p" + std::to_string(i), 15));
  const Space space = build(parameters, {"p0 != p29"});
  EXPECT_EQ(space.size(), (Count(1) << 112) * 240);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20; ++i) {
    const Count index = space.sample(random);
    const Config config = space.at(index);
    EXPECT_NE(*config.find("p0"), *config.find("p29"));
    EXPECT_TRUE(space.contains(space.ranks_at(index)));
    EXPECT_EQ(space.index_of(config), index);
  }
  EXPECT_EQ(space.index_of(space.at(space.size() - 1)), space.size() - 1);
}

TEST(Space, one_group_may_be_larger_than_64_bits) {
  std::vector<Parameter> parameters;
  std::string sum = "0";
  for (int i = 0; i < 20; ++i) {
    parameters.push_back(up_to("p" + std::to_string(i), 15));
    sum += " + p" + std::to_string(i);
  }
  const Space space = build(parameters, {sum + " >= 1"});
  EXPECT_EQ(space.size(), (Count(1) << 80) - 1);
  const Count middle = space.size() / 3;
  EXPECT_EQ(space.index_of(space.at(middle)), middle);
  EXPECT_EQ(space.at(space.size() - 1).find("p0")->integer(), 15);
}

TEST(Space, more_configurations_than_128_bits_count_are_an_error) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 40; ++i) parameters.push_back(up_to("p" + std::to_string(i), 15));
  const auto space = try_build(parameters, {});
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().kind, SpaceError::Kind::too_large);
  // Constraints may leave few of many combinations.
  std::vector<std::string> zeros;
  for (int i = 0; i < 39; ++i) zeros.push_back("p" + std::to_string(i) + " == 0");
  EXPECT_EQ(build(parameters, zeros).size(), Count(16));
}

TEST(Space, an_invalid_configuration_has_no_index) {
  const Space space = build({up_to("a", 2), up_to("b", 2)}, {"a < b"});
  EXPECT_EQ(space.index_of({{"a", 1}, {"b", 2}}), Count(2));
  EXPECT_EQ(space.index_of({{"b", 2}, {"a", 1}}), Count(2));
  EXPECT_EQ(space.index_of({{"a", 2}, {"b", 1}}), std::nullopt);
  EXPECT_EQ(space.index_of({{"a", 1}, {"b", 7}}), std::nullopt);
  EXPECT_EQ(space.index_of({{"a", 1}, {"b", 2.0}}), std::nullopt);
  EXPECT_EQ(space.index_of({{"a", 1}}), std::nullopt);
  EXPECT_EQ(space.index_of({{"a", 1}, {"b", 2}, {"c", 3}}), std::nullopt);
  EXPECT_EQ(space.index_of({{"a", 1}, {"c", 2}}), std::nullopt);
}

TEST(Space, samples_are_uniform_over_valid_configurations_and_repeat_with_their_seed) {
  const Space space = build({up_to("a", 9), up_to("b", 9)}, {"a * b >= 60"});
  const int kDraws = 20'000;
  std::map<std::uint64_t, int> drawn;
  std::mt19937_64 random(3);
  for (int i = 0; i < kDraws; ++i) ++drawn[static_cast<std::uint64_t>(space.sample(random))];
  ASSERT_EQ(drawn.size(), space.size());
  const double expected = kDraws / static_cast<double>(drawn.size());
  for (const auto& [index, times] : drawn) EXPECT_NEAR(times, expected, 5 * std::sqrt(expected)) << index;
  std::mt19937_64 first(11), second(11);
  EXPECT_EQ(space.sample(first), space.sample(second));
}

TEST(Space, the_choices_of_a_parameter_are_valid_with_the_values_of_the_others) {
  const Space space = build({up_to("a", 4), up_to("b", 4), parameter("c", {"x", "y"})}, {"(a + b) % 2 == 0"});
  const Space::Ranks ranks = {2, 2, 0};
  EXPECT_EQ(space.choices(ranks, 0), (Space::Ranks{0, 2, 4}));
  EXPECT_EQ(space.choices(ranks, 1), (Space::Ranks{0, 2, 4}));
  EXPECT_EQ(space.choices(ranks, 2), (Space::Ranks{0, 1}));
  const Space gaps = build({up_to("a", 12), up_to("b", 1)}, {"a in [1, 2, 3, 4, 6, 12] or b == 1", "a != 6"});
  EXPECT_EQ(gaps.choices(Space::Ranks{4, 0}, 0), (Space::Ranks{1, 2, 3, 4, 12}));
  EXPECT_EQ(gaps.choices(Space::Ranks{5, 1}, 1), (Space::Ranks{1}));
}

TEST(Space, the_default_is_the_files_or_the_first_value_of_each_parameter) {
  std::vector<Parameter> parameters = {up_to("a", 4), up_to("b", 4), up_to("c", 4)};
  parameters[1].default_value = 3;
  EXPECT_EQ(*build(parameters, {}).default_config(), (Config{{"a", 0}, {"b", 3}, {"c", 0}}));
}

TEST(Space, a_configuration_near_an_invalid_default_replaces_it) {
  std::vector<Parameter> parameters = {up_to("a", 4), up_to("b", 4), up_to("c", 4)};
  for (Parameter& each : parameters) each.default_value = 2;
  EXPECT_EQ(*build(parameters, {"a != b"}).default_config(), (Config{{"a", 2}, {"b", 1}, {"c", 2}}));
  EXPECT_EQ(*build(parameters, {"a + b + c == 8"}).default_config(), (Config{{"a", 2}, {"b", 2}, {"c", 4}}));
}

TEST(Space, an_error_names_the_combination_for_which_a_constraint_fails) {
  const auto space = try_build({up_to("a", 3), up_to("b", 2), up_to("c", 2)}, {"c >= 0", "a % b == 0"});
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().kind, SpaceError::Kind::bad_constraint);
  EXPECT_EQ(space.error().message, "division by zero for a=0 b=0");
  EXPECT_EQ(space.error().constraint, 1u);
  EXPECT_EQ(space.error().offset, 4u);
  EXPECT_EQ(space.error().length, 1u);
}

TEST(Space, a_combination_too_large_for_64_bits_is_an_error_not_a_wrong_answer) {
  const Parameter large = parameter("a", {1, std::int64_t{1} << 40});
  const Parameter also_large = parameter("b", {1, std::int64_t{1} << 40});
  EXPECT_EQ(try_build({large, also_large}, {"a * b > 0"}).error().message,
            "the result does not fit in 64 bits for a=1099511627776 b=1099511627776");
  EXPECT_EQ(build({large, also_large}, {"a * b > 0", "a == 1 or b == 1"}).size(), 3);
}

TEST(Space, integers_that_no_double_holds_are_still_compared_exactly) {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  const Space space =
      build({parameter("a", {large - 1, large}), parameter("b", {9007199254740992.0, 0.5})}, {"a > b"});
  EXPECT_EQ(space.size(), 3);
}

TEST(Space, the_least_integer_is_a_value_like_any_other) {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(build({parameter("a", {least, 0}), up_to("b", 1)}, {"a < b"}).size(), 3);
}

TEST(Space, an_unknown_name_is_an_error_with_a_suggestion) {
  const auto space = try_build({up_to("tile", 3)}, {"tile > 0", "1 < tiel"});
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().kind, SpaceError::Kind::bad_constraint);
  EXPECT_EQ(space.error().message, "unknown name 'tiel', did you mean 'tile'?");
  EXPECT_EQ(space.error().constraint, 1u);
  EXPECT_EQ(space.error().offset, 4u);
}

TEST(Space, an_empty_space_says_which_constraint_leaves_nothing) {
  const auto space =
      try_build({up_to("a", 3), up_to("b", 3)}, {"a >= 1", "a * b > 4", "a == b", "a + b < 4"});
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().kind, SpaceError::Kind::empty);
  EXPECT_EQ(space.error().message, "no configuration is valid: 'a + b < 4' leaves none");
  EXPECT_EQ(space.error().constraint, 3u);
  EXPECT_EQ(try_build({up_to("a", 3)}, {"a >= 0", "1 > 2"}).error().constraint, 1u);
  EXPECT_EQ(try_build({}, {"0"}).error().kind, SpaceError::Kind::empty);
}

TEST(Space, an_empty_space_says_which_limit_of_the_device_leaves_nothing) {
  const auto reason = [](Constraint::Origin origin) {
    return Space::build({up_to("a", 3)}, {{Expression::parse("a > 3").value(), origin}}, Scope())
        .error()
        .message;
  };
  EXPECT_EQ(reason(Constraint::Origin::block_limit),
            "no configuration is valid: the device's limit on a block's size leaves none");
  EXPECT_EQ(reason(Constraint::Origin::shared_memory_limit),
            "no configuration is valid: the device's limit on a block's shared memory leaves none");
}

TEST(Space, a_constraint_must_be_true_or_false) {
  EXPECT_EQ(build({up_to("a", 3)}, {"a"}).size(), 3);
  EXPECT_EQ(build({up_to("a", 3), up_to("b", 3)}, {"a - b"}).size(), 12);
  EXPECT_EQ(try_build({parameter("a", {"x", "y"})}, {"a"}).error().message,
            "expected true or false, found the string \"x\" for a=x");
  EXPECT_EQ(try_build({parameter("a", {"x", "y"}), up_to("b", 2)}, {"a < b"}).error().message,
            "cannot compare a string with a number for a=x b=0");
  EXPECT_EQ(try_build({up_to("a", 3)}, {"1 // 0 == 1"}).error().message, "division by zero");
}

TEST(Space, parameters_without_values_or_with_one_twice_are_errors) {
  EXPECT_EQ(try_build({parameter("a", {})}, {}).error().message, "parameter 'a' has no values");
  EXPECT_EQ(try_build({parameter("a", {1, 2, 1})}, {}).error().message,
            "parameter 'a' has the value 1 twice");
  EXPECT_EQ(try_build({up_to("a", 1), up_to("a", 2)}, {}).error().message, "there are two parameters 'a'");
  EXPECT_EQ(try_build({up_to("a", 1), up_to("a", 2)}, {}).error().kind, SpaceError::Kind::bad_parameter);
}

TEST(Space, branches_without_valid_combinations_are_cut_early) {
  std::vector<Parameter> parameters;
  std::string product = "1", sum = "0";
  for (int i = 0; i < 8; ++i) {
    parameters.push_back(parameter("p" + std::to_string(i), {1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31}));
    product += " * p" + std::to_string(i);
    sum += " - p" + std::to_string(i);
  }
  SpaceLimits limits;
  limits.evaluations = 5000;
  const auto space = Space::build(parameters, constraints({product + " <= 8"}), Scope(), limits);
  EXPECT_EQ(space->size(), 1 + 8 * 4 + 28 + 56 + 56);  // 1; one prime of four; 2*2; 2*3; 2*2*2
  EXPECT_TRUE(Space::build(parameters, constraints({sum + " >= -9"}), Scope(), limits));
  EXPECT_TRUE(
      Space::build(parameters, constraints({"p0 == 0 or max(" + product + ", 3) == 5"}), Scope(), limits));
}

TEST(Space, a_space_beyond_the_limits_is_refused) {
  std::vector<Parameter> parameters;
  std::string hash = "0";
  for (int i = 0; i < 8; ++i) {
    parameters.push_back(up_to("p" + std::to_string(i), 15));
    hash = "(" + hash + ") * 31 + p" + std::to_string(i);
  }
  SpaceLimits limits;
  limits.bytes = 1 << 20;
  const auto too_much =
      Space::build(parameters, constraints({"(" + hash + ") % 1000003 != 1"}), Scope(), limits);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().kind, SpaceError::Kind::too_large);
  EXPECT_EQ(too_much.error().message.substr(0, 66),
            "the constraints tie p0, p1, p2, p3, p4, p5, p6 and p7 together in ");
  limits = {};
  limits.evaluations = 10'000;
  const auto too_long =
      Space::build(parameters, constraints({"(" + hash + ") % 1000003 != 1"}), Scope(), limits);
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().kind, SpaceError::Kind::too_large);
}

TEST(Space, ranks_that_no_value_has_are_not_contained) {
  const auto space =
      Space::build({{.name = "a", .values = {1, 2}}, {.name = "b", .values = {7}}}, {}, Scope());
  EXPECT_TRUE(space->contains(Space::Ranks{1, 0}));
  EXPECT_FALSE(space->contains(Space::Ranks{2, 0}));
  EXPECT_FALSE(space->contains(Space::Ranks{0, 1}));
  EXPECT_FALSE(space->contains(Space::Ranks{0}));
}

TEST(Space, holds_only_the_listed_combinations) {
  const std::vector<Parameter> parameters = {
      {.name = "a", .values = {1, 2, 3}}, {.name = "b", .values = {"only"}}, {.name = "c", .values = {4, 5}}};
  const Space space = Space::of(parameters, {{2, 0, 1}, {0, 0, 0}, {2, 0, 0}});
  EXPECT_EQ(space.size(), 3);
  EXPECT_EQ(space.at(0u), (Config{{"a", 1}, {"b", "only"}, {"c", 4}}));
  EXPECT_EQ(space.at(1u), (Config{{"a", 3}, {"b", "only"}, {"c", 4}}));
  EXPECT_EQ(space.at(2u), (Config{{"a", 3}, {"b", "only"}, {"c", 5}}));
  EXPECT_FALSE(space.contains(Config{{"a", 1}, {"b", "only"}, {"c", 5}}));
  EXPECT_EQ(space.choices(Space::Ranks{2, 0, 0}, 2), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(space.choices(Space::Ranks{0, 0, 0}, 2), (std::vector<std::uint32_t>{0}));
}

}  // namespace
}  // namespace gktune
