#include "db/answer_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "db/distance.h"
#include "tests/db/example_study.h"

namespace gktune {
namespace {

using Axes = std::vector<std::string>;

// A database with one version of the kernel "k". The value of `a` in a winner's configuration is its place among
// the problems.
Winners winners_of(const std::vector<Problem>& problems) {
  Winners winners;
  auto& version = winners["k"].emplace_back();
  for (std::size_t i = 0; i < problems.size(); ++i) {
    version.push_back({{"k", "f1", kH200, problems[i], Regime::cold, "time"}, {{"a", i}}, 1.5});
  }
  return winners;
}

// The place of the answer among the problems; -1: there is none.
std::int64_t answer(const std::vector<Problem>& problems, const Problem& question) {
  Axes axes;
  std::vector<AxisValue> values;
  for (const auto& [name, value] : question) axes.push_back(name), values.emplace_back(value);
  const AnswerTable table(winners_of(problems), "k", {}, axes);
  const Answer* found = table.find(values);
  return found == nullptr ? -1 : found->integer("a");
}

Match match(const Problem& tuned, const Problem& question) {
  Axes axes;
  std::vector<AxisValue> values;
  for (const auto& [name, value] : question) axes.push_back(name), values.emplace_back(value);
  const AnswerTable table(winners_of({tuned}), "k", {}, axes);
  const Answer* found = table.find(values);
  return found == nullptr ? Match::none : found->match;
}

TEST(AnswerTable, nearness_is_a_ratio_of_sizes) {
  EXPECT_EQ(answer({{{"n", 1000}}, {{"n", 4000}}}, {{"n", 1999}}), 0);
  EXPECT_EQ(answer({{{"n", 1000}}, {{"n", 4000}}}, {{"n", 2010}}), 1);
  EXPECT_EQ(answer({{{"n", 0}}, {{"n", 3}}}, {{"n", 1}}), 0);
  EXPECT_EQ(answer({{{"shift", -3}}, {{"shift", 2}}}, {{"shift", -1}}), 0);
}

TEST(AnswerTable, shapes_count_and_not_volumes) {
  EXPECT_EQ(answer({{{"m", 64}, {"k", 64}}, {{"m", 2}, {"k", 2048}}}, {{"m", 1}, {"k", 4096}}), 1);
  EXPECT_EQ(answer({{{"m", 64}, {"k", 64}}, {{"m", 2}, {"k", 2048}}}, {{"m", 60}, {"k", 70}}), 0);
}

TEST(AnswerTable, only_equal_problems_are_exact) {
  EXPECT_EQ(match({{"n", 8}, {"T", "float"}}, {{"T", "float"}, {"n", 8}}), Match::exact);
  EXPECT_EQ(match({{"n", 8}}, {{"n", 8.0}}), Match::exact);
  EXPECT_EQ(match({}, {}), Match::exact);
  EXPECT_EQ(match({{"n", 8}}, {{"n", 9}}), Match::nearest_problem);
  EXPECT_EQ(match({{"n", 8}, {"T", "float"}}, {{"n", 8}}), Match::nearest_problem);
  const std::int64_t large = std::int64_t{1} << 62;
  EXPECT_EQ(match({{"n", large}}, {{"n", large + 1}}), Match::nearest_problem);
  EXPECT_EQ(answer({{{"n", large}}, {{"n", large + 1}}, {{"n", large + 2}}}, {{"n", large + 1}}), 1);
}

TEST(AnswerTable, texts_and_booleans_must_be_equal) {
  EXPECT_EQ(match({{"T", "float"}}, {{"T", "double"}}), Match::none);
  EXPECT_EQ(match({{"sorted", true}}, {{"sorted", false}}), Match::none);
  EXPECT_EQ(match({{"n", 1}}, {{"n", "1"}}), Match::none);
  EXPECT_EQ(match({{"n", "1"}}, {{"n", 1}}), Match::none);
  EXPECT_EQ(match({{"n", 1}}, {{"n", true}}), Match::none);
}

TEST(AnswerTable, a_problem_with_further_axes_comes_after_any_without) {
  EXPECT_EQ(answer({{{"n", 8}, {"T", "float"}}, {{"n", 4096}}}, {{"n", 8}}), 1);
  EXPECT_EQ(answer({{{"n", 8}}}, {{"n", 8}, {"N", 8}}), -1);
}

TEST(AnswerTable, sizes_that_are_not_finite_have_no_answer) {
  EXPECT_EQ(answer({{{"x", 1.0}}}, {{"x", std::nan("")}}), -1);
  EXPECT_EQ(answer({{{"x", 1.0}}}, {{"x", std::numeric_limits<double>::infinity()}}), -1);
  EXPECT_EQ(answer({{{"x", std::nan("")}}, {{"x", 8.0}}}, {{"x", 1.0}}), 1);
}

TEST(AnswerTable, a_question_with_another_number_of_values_has_no_answer) {
  const AnswerTable table(winners_of({{{"n", 1}}}), "k", {}, Axes{"n"});
  const AxisValue two[] = {1, 2};
  EXPECT_EQ(table.find(two), nullptr);
  EXPECT_EQ(table.find({}), nullptr);
}

TEST(AnswerTable, a_missing_answer_has_its_reason) {
  const Winners winners = winners_of({{{"n", 1}, {"T", "float"}}, {{"n", 1}, {"T", "half"}}});
  const auto reason = [&](std::string_view kernel, const DeviceIdentity& device, const Axes& axes) {
    return AnswerTable(winners, kernel, device, axes).reason();
  };
  EXPECT_EQ(reason("kk", {}, {}), "the database has no winner of kernel 'kk', did you mean 'k'?");
  EXPECT_EQ(reason("k", kCpu, {"n"}),
            "'k' was not tuned on CPU: AMD EPYC 9654, x86-64; it was tuned on NVIDIA H200, sm_90");
  EXPECT_EQ(reason("k", {}, {"m"}), "'k' has no axis 'm'; it has T, n");
  EXPECT_EQ(reason("k", {}, {"n", "T"}), "'k' was not tuned for such a problem; T was float, half");
}

// The first of the nearest problems, by comparing all of them.
std::int64_t slow_answer(const std::vector<Problem>& problems, const Problem& question) {
  std::int64_t best = -1;
  std::optional<Distance> least;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const auto length = distance(question, problems[i]);
    if (length && (!least || *length < *least)) best = static_cast<std::int64_t>(i), least = length;
  }
  return best;
}

TEST(AnswerTable, agrees_with_a_comparison_of_all_problems) {
  std::mt19937 random(7);
  const auto any = [&](int bound) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound)); };
  const char* types[] = {"float", "half", "int"};
  for (int round = 0; round < 300; ++round) {
    std::vector<Problem> problems;
    for (std::int64_t i = any(40); i >= 0; --i) {
      Problem problem;
      problem.set("m", any(2) == 0 ? any(8) : any(100000));
      if (any(8) != 0) problem.set("n", any(2) == 0 ? any(8) : any(100000));
      if (any(4) != 0) problem.set("T", types[any(3)]);
      problems.push_back(problem);
    }
    Problem question;
    if (any(4) != 0) question.set("T", types[any(3)]);
    if (any(4) != 0) question.set("n", any(2) == 0 ? any(8) : any(100000));
    question.set("m", any(100000));
    EXPECT_EQ(answer(problems, question), slow_answer(problems, question)) << question.str();
  }
}

}  // namespace
}  // namespace gktune
