// Launches that are repeated.
#include <gtest/gtest.h>

#include <algorithm>

#include "reduce_example.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

using Indices = std::vector<int>;

constexpr const char* kRepeatHead =
    "kernel: k\nsource: k.cu\nproblem: {n: [4]}\nparameters: {unroll: [1, 4]}\n"
    "arguments:\n"
    "  now: {type: float, extent: n, role: scratch}\n"
    "  next: {type: float, extent: n, role: scratch}\n"
    "  n: {type: int, value: n}\n"
    "  counts: {type: int, extent: n, role: scratch}\n"
    "  rest: {type: float, extent: 1, role: scratch}\n"
    "  done: {type: \"unsigned char\", extent: n - 3, role: scratch}\n"
    "launches:\n";

DeviceInfo small_device() {
  DeviceInfo info;
  info.kind = "cuda";
  info.max_threads_per_block = 1024;
  return info;
}

Result<Definition, std::vector<Diagnostic>> read_launches_of(const std::string& launches) {
  return read_space_text(kRepeatHead + launches, "k.yaml", {}, files_of({{"k.cu", ""}}));
}

Result<Plan> repeat_plan(const std::string& launches) {
  const auto definition = read_launches_of(launches);
  if (!definition) return Error{definition.error().front().str()};
  return resolve(definition->kernel, {{"unroll", 4}}, {{"n", 4}}, small_device());
}

std::string repeat_error(const std::string& launches) {
  const auto plan = repeat_plan(launches);
  return plan ? "none" : plan.error().message;
}

TEST(Repeat, gives_as_many_steps_as_there_are_rounds) {
  const auto plan = repeat_plan(
      "  - {fill: next}\n"
      "  - repeat: n - 1\n"
      "    launches: [{entry: f, arguments: [now, next]}, {entry: g, arguments: [next]}]\n"
      "  - {entry: h, arguments: [next]}\n");
  std::vector<std::string> entries;
  for (const StepPlan& step : plan->candidate.steps) entries.push_back(step.entry);
  EXPECT_EQ(entries, (std::vector<std::string>{"", "f", "g", "f", "g", "f", "g", "h"}));
  EXPECT_EQ(plan->candidate.source.entries, (std::vector<std::string>{"f", "g", "h"}));
}

TEST(Repeat, counts_rounds_in_geometry_conditions_entries_and_arguments) {
  const auto plan = repeat_plan(
      "  repeat: 3\n"
      "  index: i\n"
      "  launches:\n"
      "    - {entry: \"f<i>\", grid: 2 ** i, when: i != 1, arguments: [now, i, {type: float, value: i / "
      "4}]}\n");
  const std::vector<StepPlan>& steps = plan->candidate.steps;
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[1].entry, "f<2>");
  EXPECT_EQ(steps[1].grid[0], 4);
  EXPECT_EQ(steps[0].arguments, (Indices{0, 6, 7}));
  EXPECT_EQ(steps[1].arguments, (Indices{0, 8, 9}));
  const auto passed = [&](int index) { return passed_argument(plan->arguments, plan->candidate, index); };
  EXPECT_EQ(passed(0).name, "now");
  EXPECT_EQ(passed(8).scalar, Value(2));
  EXPECT_EQ(passed(8).type, ElementType::int32);
  EXPECT_EQ(passed(9).scalar, Value(0.5));
}

TEST(Repeat, passes_equal_values_once) {
  const auto plan = repeat_plan(
      "  repeat: 8\n"
      "  index: i\n"
      "  launches: {entry: f, arguments: [{type: int, value: i % 2}]}\n");
  EXPECT_EQ(plan->candidate.steps.size(), 8u);
  EXPECT_EQ(plan->candidate.values.size(), 2u);
}

TEST(Repeat, swaps_two_buffers_in_every_second_round) {
  const auto plan = repeat_plan(
      "  repeat: 3\n"
      "  swap: [now, next]\n"
      "  launches: [{entry: f, arguments: [now, next, n]}, {fill: next}]\n");
  const std::vector<StepPlan>& steps = plan->candidate.steps;
  ASSERT_EQ(steps.size(), 6u);
  EXPECT_EQ(steps[0].arguments, (Indices{0, 1, 2}));
  EXPECT_EQ(steps[2].arguments, (Indices{1, 0, 2}));
  EXPECT_EQ(steps[4].arguments, (Indices{0, 1, 2}));
  EXPECT_EQ(steps[3].fill_argument, 0);
}

TEST(Repeat, can_be_nested) {
  const auto plan = repeat_plan(
      "  repeat: 2\n"
      "  index: i\n"
      "  swap: [now, next]\n"
      "  launches:\n"
      "    repeat: i + 1\n"
      "    index: j\n"
      "    swap: [now, next]\n"
      "    launches: {entry: f, arguments: [now, i, j]}\n");
  ASSERT_EQ(plan->candidate.steps.size(), 3u);
  std::vector<int> buffers;
  for (const StepPlan& step : plan->candidate.steps) buffers.push_back(step.arguments[0]);
  EXPECT_EQ(buffers, (Indices{0, 1, 0}));
}

// Names each step by its entry, or by the number of steps that the flag skips.
std::vector<std::string> in_words(const std::vector<StepPlan>& steps) {
  std::vector<std::string> words;
  for (const StepPlan& step : steps)
    words.push_back(step.flag_argument < 0 ? step.entry : "skip " + std::to_string(step.skipped));
  return words;
}

TEST(Repeat, asks_for_the_flag_between_two_rounds) {
  const auto plan = repeat_plan(
      "  - {repeat: 3, until: done, launches: [{entry: f, arguments: [now]}, {entry: g, arguments: "
      "[done]}]}\n"
      "  - {entry: h, arguments: [now]}\n");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(in_words(plan->candidate.steps),
            (std::vector<std::string>{"f", "g", "skip 5", "f", "g", "skip 2", "f", "g", "h"}));
  EXPECT_EQ(plan->candidate.steps.at(2).flag_argument, 5);
}

TEST(Repeat, ends_an_inner_loop_without_the_outer_one) {
  const auto plan = repeat_plan(
      "  repeat: 2\n"
      "  until: done\n"
      "  launches: {repeat: 2, until: done, launches: {entry: f, arguments: [done]}}\n");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(in_words(plan->candidate.steps),
            (std::vector<std::string>{"f", "skip 1", "f", "skip 3", "f", "skip 1", "f"}));
}

TEST(Repeat, has_no_steps_without_rounds) {
  const auto plan = repeat_plan("  repeat: 0\n  launches: {entry: f, arguments: [now, next], block: 0}\n");
  EXPECT_TRUE(plan->candidate.steps.empty());
}

TEST(Repeat, is_an_error_with_a_wrong_number_of_rounds) {
  const std::string body = "\n  launches: {entry: f, arguments: [now, next]}\n";
  EXPECT_EQ(repeat_error("  repeat: 2 - n" + body), "repeat '2 - n': -2 is negative");
  EXPECT_EQ(repeat_error("  repeat: n / 2" + body),
            "repeat 'n / 2': expected an integer, this is 2.0 (// divides integers)");
  EXPECT_EQ(repeat_error("  repeat: 2 ** 40" + body), "repeat '2 ** 40': 1099511627776 is more than 65536");
  EXPECT_EQ(repeat_error(
                "  repeat: 60000\n  launches: {repeat: 2, launches: {entry: f, arguments: [now, next]}}\n"),
            "more than 65536 launches");
}

TEST(Repeat, ends_at_a_flag_of_one_integer) {
  const auto error = [](const std::string& flag) {
    return repeat_error("  {repeat: 2, until: " + flag + ", launches: {entry: f, arguments: [" + flag +
                        "]}}\n");
  };
  EXPECT_EQ(error("done"), "none");
  EXPECT_EQ(error("now"), "until 'now': a flag is one integer, not 4 float32");
  EXPECT_EQ(error("counts"), "until 'counts': a flag is one integer, not 4 int32");
  EXPECT_EQ(error("rest"), "until 'rest': a flag is one integer, not 1 float32");
}

TEST(Repeat, takes_values_that_fit_their_type) {
  EXPECT_EQ(repeat_error("  repeat: 2\n  index: i\n  launches: {entry: f, arguments: [next, {type: int8, "
                         "value: 127 + i}]}\n"),
            "launch of 'f': value '127 + i': 128 does not fit in int8");
}

TEST(Repeat, checks_device_limits_that_depend_on_the_round_at_the_launch) {
  const auto definition = read_launches_of(
      "  repeat: n\n"
      "  index: i\n"
      "  launches:\n"
      "    - {entry: f, block: [unroll, i + 1], arguments: [next]}\n"
      "    - {entry: g, block: unroll, shared: unroll * 4, arguments: [next]}\n");
  std::vector<std::string> limits;
  for (const Constraint& limit : device_limits(definition->kernel, small_device()))
    limits.push_back(limit.condition.text());
  EXPECT_TRUE(std::ranges::none_of(limits, [](const std::string& text) {
    return text.find("i + 1") != std::string::npos;
  }));
  // A configuration without rounds launches nothing.
  EXPECT_TRUE(std::ranges::all_of(limits, [](const std::string& text) {
    return text.find("<= 0 or ") != std::string::npos;
  }));
  EXPECT_FALSE(limits.empty());
}

}  // namespace
}  // namespace gktune
