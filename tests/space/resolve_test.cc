#include <gtest/gtest.h>

#include "reduce_example.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

Config config() { return {{"threadsPerBlock", 256}, {"batchSize", 4}, {"way", "two_pass"}, {"hint", true}}; }
Problem problem() { return {{"T", "float"}, {"n", 1 << 20}, {"distribution", "even"}}; }
DeviceInfo device() {
  DeviceInfo info;
  info.kind = "cuda";
  info.max_threads_per_block = 1024;
  info.max_block_x = 1024;
  info.max_grid_x = 2147483647;
  info.shared_bytes_per_block_optin = 48 << 10;
  return info;
}

Plan plan_of(const Config& c = config(), const Problem& p = problem(), const DeviceInfo& d = device()) {
  const auto plan = resolve(read_reduce().kernel, c, p, d);
  if (plan) return *plan;
  ADD_FAILURE() << plan.error().message;
  return {};
}

TEST(Resolve, parameters_and_texts_of_the_problem_are_macros) {
  const auto macros = plan_of().candidate.source.macros;
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"T", "float"},     {"DISTRIBUTION", "even"}, {"threadsPerBlock", "256"},
      {"batchSize", "4"}, {"way", "two_pass"},      {"hint", "true"}};
  EXPECT_EQ(macros, expected);
}

TEST(Resolve, names_in_template_arguments_are_replaced) {
  const auto plan = plan_of();
  ASSERT_EQ(plan.candidate.steps.size(), 2u);
  EXPECT_EQ(plan.candidate.steps[0].entry, "reduce<float, 256>");
  EXPECT_EQ(plan.candidate.source.entries, (std::vector<std::string>{"reduce<float, 256>", "finish"}));
  EXPECT_EQ(plan.reference.source.entries, (std::vector<std::string>{"reference_sum<float>"}));
}

TEST(Resolve, geometry_is_numbers) {
  const auto step = plan_of().candidate.steps[0];
  EXPECT_EQ(step.grid, (std::array<std::int64_t, 3>{1024, 1, 1}));
  EXPECT_EQ(step.block, (std::array<std::int64_t, 3>{256, 1, 1}));
  EXPECT_EQ(step.shared_bytes, 1024);
  EXPECT_EQ(step.arguments, (std::vector<int>{0, 1, 3}));
}

TEST(Resolve, steps_whose_condition_fails_are_left_out) {
  Config one_pass = config();
  one_pass.set("way", "one_pass");
  const auto plan = plan_of(one_pass);
  ASSERT_EQ(plan.candidate.steps.size(), 2u);
  EXPECT_EQ(plan.candidate.steps[0].fill_argument, 1);
  EXPECT_EQ(plan.candidate.steps[1].entry, "reduce<float, 256>");
}

TEST(Resolve, a_grid_of_nothing_is_skipped) {
  Problem empty = problem();
  empty.set("n", 0);
  const auto plan = plan_of(config(), empty);
  ASSERT_EQ(plan.candidate.steps.size(), 1u);
  EXPECT_EQ(plan.candidate.steps[0].entry, "finish");
  EXPECT_EQ(plan.arguments[0].count, 0u);
}

}  // namespace
}  // namespace gktune
