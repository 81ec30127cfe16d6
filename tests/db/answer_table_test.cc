#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "db/answer_table.h"
#include "db/distance.h"
#include "tests/db/example_study.h"

namespace gktune {
namespace {

using Axes = std::vector<std::string>;

// A database with one version of the kernel "k". The value of `a` in a winner's configuration is
// its place among the problems.
KernelWinners winners_of(const std::vector<Problem>& problems) {
  KernelWinners winners;
  auto& version = winners.versions.emplace_back();
  for (std::size_t i = 0; i < problems.size(); ++i) {
    Winner& winner = version.winners.emplace_back();
    winner.study = {"k", "f1", kH200, problems[i], Regime::cold, "time"};
    winner.trial = ok_trial({{"a", i}}, 1.5);
  }
  return winners;
}

SessionEnvironment measured_with(const std::string& driver, const std::string& runtime) {
  return {"", "", driver, runtime, ""};
}

AnswerTable table_of(const KernelWinners& winners, const DeviceIdentity& device, const Axes& axes,
                     const Freshness& freshness = {}) {
  return {"k", winners, {"k"}, device, axes, freshness};
}

Answer answer_to(const Problem& question, const std::vector<Problem>& problems) {
  Axes axes;
  std::vector<AxisValue> values;
  for (const auto& [name, value] : question) axes.push_back(name), values.emplace_back(value);
  const AnswerTable table = table_of(winners_of(problems), {}, axes);
  const Answer* found = table.find(values);
  return found == nullptr ? Answer{} : *found;
}
Match match(const Problem& tuned, const Problem& question) { return answer_to(question, {tuned}).match; }
// The place of the answer among the problems; -1: there is none.
std::int64_t answer(const std::vector<Problem>& problems, const Problem& question) {
  const Answer found = answer_to(question, problems);
  return found ? found.integer("a") : -1;
}

TEST(AnswerTable, only_equal_problems_match_exactly) {
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

TEST(AnswerTable, infinite_and_nan_sizes_have_no_answer) {
  EXPECT_EQ(answer({{{"x", 1.0}}}, {{"x", std::nan("")}}), -1);
  EXPECT_EQ(answer({{{"x", 1.0}}}, {{"x", std::numeric_limits<double>::infinity()}}), -1);
  EXPECT_EQ(answer({{{"x", std::nan("")}}, {{"x", 8.0}}}, {{"x", 1.0}}), 1);
}

TEST(AnswerTable, a_missing_answer_has_a_reason) {
  const KernelWinners winners = winners_of({{{"n", 1}, {"T", "float"}}, {{"n", 1}, {"T", "half"}}});
  const auto reason = [&](const DeviceIdentity& device, const Axes& axes) {
    return table_of(winners, device, axes).reason();
  };
  EXPECT_EQ(AnswerTable("kk", {}, {"k"}, {}, {}, {}).reason(),
            "the database has no winner of kernel 'kk', did you mean 'k'?");
  EXPECT_EQ(reason(kCpu, {"n"}),
            "'k' was not tuned on CPU: AMD EPYC 9654, x86-64; it was tuned on NVIDIA H200, sm_90");
  EXPECT_EQ(reason({}, {"m"}), "'k' has no axis 'm'; it has T, n");
  EXPECT_EQ(reason({}, {"n", "T"}), "'k' was not tuned for such a problem; T was float, half");
}

// The answer of a table for questions about n and heads.
Answer answer_of(const KernelWinners& winners, std::int64_t n, int heads, const Freshness& freshness = {}) {
  const AnswerTable table = table_of(winners, kH200, Axes{"n", "heads"}, freshness);
  const AxisValue values[] = {n, heads};
  const Answer* found = table.find(values);
  return found == nullptr ? Answer{} : *found;
}

TEST(AnswerTable, an_axis_declared_exact_matches_its_own_value_only) {
  KernelWinners winners = winners_of({{{"n", 1000}, {"heads", 8}}, {{"n", 4000}, {"heads", 16}}});
  winners.versions[0].space.matching = {{"heads", "exact"}};
  EXPECT_EQ(answer_of(winners, 1000, 16).integer("a"), 1);
  EXPECT_EQ(answer_of(winners, 1000, 8).match, Match::exact);
  EXPECT_EQ(answer_of(winners, 1000, 12).match, Match::none);
}

TEST(AnswerTable, other_categories_are_equally_far_and_farther_than_any_size) {
  KernelWinners winners = winners_of({{{"n", 1000}, {"heads", 7}}, {{"n", 64'000}, {"heads", 1024}}});
  winners.versions[0].space.matching = {{"heads", "categorical"}};
  EXPECT_EQ(answer_of(winners, 1000, 1024).integer("a"), 1);
  EXPECT_EQ(answer_of(winners, 2000, 8).integer("a"), 0);
  EXPECT_EQ(answer_of(winners, 60'000, 8).integer("a"), 1);
  EXPECT_EQ(answer_of(winners, 64'000, 8).match, Match::nearest_problem);
  EXPECT_EQ(answer_of(winners, 64'000, 1024).match, Match::exact);
}

TEST(AnswerTable, the_next_neighbour_answers_if_constraints_reject_the_nearest) {
  KernelWinners winners =
      winners_of({{{"n", 8}, {"heads", 1}}, {{"n", 100}, {"heads", 1}}, {{"n", 4000}, {"heads", 1}}});
  winners.versions[0].space.constraints = {"n % 4 == 0 or a != 1"};
  EXPECT_EQ(answer_of(winners, 104, 1).integer("a"), 1);
  EXPECT_EQ(answer_of(winners, 101, 1).integer("a"), 0);
  EXPECT_EQ(answer_of(winners, 501, 1).integer("a"), 2);
  winners.versions[0].space.constraints.push_back("a == 'nothing");  // unreadable: nothing is known to be valid
  EXPECT_EQ(answer_of(winners, 101, 1).match, Match::none);
  EXPECT_EQ(answer_of(winners, 100, 1).match, Match::exact);
}

TEST(AnswerTable, an_answer_from_another_device_meets_the_limits_of_the_requested_one) {
  KernelWinners winners = winners_of({{{"n", 8}, {"heads", 1}}, {{"n", 64}, {"heads", 1}}});
  for (Winner& winner : winners.versions[0].winners) winner.study.device = kH100;
  winners.versions[0].space.constraints = {"a * 1000 < device.l2_bytes"};
  DeviceInfo device;
  device.kind = kH100.kind, device.name = kH100.name, device.architecture = kH100.architecture;
  device.l2_bytes = 500;
  winners.devices = {device};
  EXPECT_EQ(answer_of(winners, 60, 1).integer("a"), 0);
  EXPECT_EQ(answer_of(winners, 60, 1).match, Match::same_architecture);
}

TEST(AnswerTable, the_configuration_for_all_problems_and_the_default_come_last) {
  KernelWinners winners = winners_of({{{"n", 8}, {"heads", 1}}});
  KernelVersion& version = winners.versions[0];
  version.space.matching = {{"heads", "exact"}};
  version.space.default_config = {{"a", 7}};
  EXPECT_EQ(answer_of(winners, 8, 2).match, Match::space_default);
  EXPECT_EQ(answer_of(winners, 8, 2).integer("a"), 7);
  EXPECT_EQ(answer_of(winners, 8, 2).reason, "'k' was not tuned for such a problem");
  Portfolio& portfolio = version.portfolios.emplace_back();
  portfolio.device = kH200;
  portfolio.configs = {{{"a", 5}}};
  portfolio.tree.emplace_back();
  EXPECT_EQ(answer_of(winners, 8, 2).match, Match::portfolio);
  EXPECT_EQ(answer_of(winners, 8, 2).integer("a"), 5);
  version.space.constraints = {"a != 5 or heads == 1"};
  EXPECT_EQ(answer_of(winners, 8, 2).match, Match::space_default);
  EXPECT_EQ(answer_of(winners, 8, 1).match, Match::exact);
}

TEST(AnswerTable, the_choice_of_a_portfolios_tree_comes_before_its_other_configurations) {
  KernelWinners winners = winners_of({{{"n", 8}, {"heads", 1}}});
  KernelVersion& version = winners.versions[0];
  version.space.matching = {{"heads", "exact"}};
  Portfolio& portfolio = version.portfolios.emplace_back();
  portfolio.device = kH200;
  portfolio.configs = {{{"a", 5}}, {{"a", 6}}};
  portfolio.tree = {{"n", 100, 1, 2, 0}, {"", {}, 0, 0, 0}, {"", {}, 0, 0, 1}};
  EXPECT_EQ(answer_of(winners, 100, 2).integer("a"), 5);
  EXPECT_EQ(answer_of(winners, 101, 2).integer("a"), 6);
  EXPECT_EQ(answer_of(winners, 101, 2).match, Match::portfolio);
  EXPECT_EQ(answer_of(winners, 101, 1).match, Match::nearest_problem);
  version.space.constraints = {"a != 6 or n < 1000"};
  EXPECT_EQ(answer_of(winners, 999, 2).integer("a"), 6);
  EXPECT_EQ(answer_of(winners, 1000, 2).integer("a"), 5);
}

TEST(AnswerTable, stale_winners_do_not_answer_and_the_reason_counts_them) {
  KernelWinners winners = winners_of({{{"n", 8}, {"heads", 1}}, {{"n", 64}, {"heads", 1}}});
  winners.versions[0].winners[1].environment = measured_with("550.54", "12.4");
  EXPECT_EQ(answer_of(winners, 64, 1, {"", "550.90", "12.8"}).match, Match::exact);
  EXPECT_EQ(answer_of(winners, 64, 1, {"", "580.1", ""}).integer("a"), 0);
  EXPECT_EQ(answer_of(winners, 64, 1, {"", "", "13.0"}).integer("a"), 0);
  EXPECT_EQ(answer_of(winners, 64, 1, {"f2", "", ""}).match, Match::none);
  EXPECT_EQ(table_of(winners, kH200, Axes{"n"}, {"", "580.1", ""}).reason(),
            "'k' was not tuned for such a problem; 1 winner was measured with driver 550.54");
  EXPECT_EQ(table_of(winners, kH200, Axes{"n"}, {"f2", "", ""}).reason(),
            "'k' was not tuned for such a problem; 2 winners were of other sources");
}

TEST(AnswerTable, an_answer_says_what_has_changed_since_it_was_measured) {
  KernelWinners winners = winners_of({{{"n", 8}, {"heads", 1}}, {{"n", 64}, {"heads", 1}}});
  Winner& old = winners.versions[0].winners[1];
  old.environment = measured_with("550.54", "12.4");
  winners.latest[kH200.name] = measured_with("580.65", "12.4");
  const std::string driver = "the driver was 550.54 then and is 580.65 now";
  EXPECT_TRUE(answer_of(winners, 8, 1).stale.empty());
  EXPECT_EQ(answer_of(winners, 64, 1).stale, std::vector<std::string>{driver});
  EXPECT_EQ(answer_of(winners, 70, 1).match, Match::nearest_problem);
  EXPECT_EQ(answer_of(winners, 70, 1).stale, std::vector<std::string>{driver});
  // The versions of the machine that asks count more than those of the latest session.
  EXPECT_TRUE(answer_of(winners, 64, 1, {"", "550.54", ""}).stale.empty());
  EXPECT_TRUE(answer_of(winners, 64, 1, {"", "550", "12"}).stale.empty());
  EXPECT_EQ(answer_of(winners, 64, 1, {"", "550.90", ""}).stale,
            std::vector<std::string>{"the driver was 550.54 then and is 550.90 now"});
  old.changes.emplace_back(kSourceChanged);
  EXPECT_EQ(answer_of(winners, 64, 1).stale, (std::vector<std::string>{std::string(kSourceChanged), driver}));
  EXPECT_EQ(answer_of(winners, 64, 1, {"f1", "550", ""}).stale, std::vector<std::string>());
  // A portfolio is as stale as the winners that it was made from.
  auto& portfolio = winners.versions[0].portfolios.emplace_back();
  portfolio.kernel = old.study.kernel;
  portfolio.fingerprint = old.study.fingerprint;
  portfolio.device = kH200;
  portfolio.objective = "time";
  portfolio.configs = {{{"a", 5}}};
  portfolio.tree.emplace_back();
  winners.versions[0].space.matching = {{"heads", "exact"}};
  EXPECT_EQ(answer_of(winners, 64, 2).match, Match::portfolio);
  EXPECT_EQ(answer_of(winners, 64, 2).stale, (std::vector<std::string>{std::string(kSourceChanged), driver}));
}

TEST(AnswerTable, all_answers_can_be_visited_in_order) {
  KernelWinners winners = winners_of({{{"n", 8}}, {{"n", 64}}, {{"n", 4000}}});
  winners.versions[0].space.default_config = {{"a", 9}};
  const AnswerTable table = table_of(winners, kH200, Axes{"n"});
  const AxisValue values[] = {100};
  std::vector<std::int64_t> seen;
  table.visit(values, [&](const Answer& answer) {
    if (answer.match != Match::same_architecture) seen.push_back(answer.integer("a"));
    return false;
  });
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 0, 2, 9}));
  int visited = 0;
  table.visit(values, [&](const Answer&) { return ++visited == 2; });
  EXPECT_EQ(visited, 2);
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
  const auto any = [&](int bound) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound));
  };
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

double length(const Problem& asked, const Problem& tuned) {
  auto found = distance(asked, tuned);
  return found ? found->length : -1;
}

TEST(Distance, is_one_for_a_factor_of_two_along_one_axis) {
  EXPECT_DOUBLE_EQ(length({{"n", 1023}}, {{"n", 511}}), 1);
  EXPECT_DOUBLE_EQ(length({{"n", 511}}, {{"n", 1023}}), 1);
  EXPECT_DOUBLE_EQ(length({{"n", 0}}, {{"n", 1}}), 1);
  EXPECT_DOUBLE_EQ(length({{"n", 7}}, {{"n", 7}}), 0);
}

TEST(Distance, depends_on_shapes_not_on_volumes) {
  Problem square{{"m", 64}, {"k", 64}};
  EXPECT_GT(length({{"m", 1}, {"k", 4096}}, square), 7);
  EXPECT_LT(length({{"m", 60}, {"k", 70}}, square), 0.2);
}

TEST(Distance, a_missing_axis_matches_every_value_and_an_unknown_axis_none) {
  auto left_out = distance({{"n", 8}}, {{"n", 8}, {"T", "float"}});
  ASSERT_TRUE(left_out);
  EXPECT_FALSE(left_out->equal);
  EXPECT_EQ(left_out->left_out, 1);
  EXPECT_LT(*distance({{"n", 8}}, {{"n", 4096}}), *left_out);
  EXPECT_FALSE(distance({{"n", 8}, {"N", 8}}, {{"n", 8}}));
}

TEST(Distance, exists_for_reals_and_negative_numbers) {
  EXPECT_DOUBLE_EQ(length({{"share", 3.0}}, {{"share", 1}}), 1);
  EXPECT_DOUBLE_EQ(length({{"shift", -1}}, {{"shift", 1}}), 2);
  EXPECT_DOUBLE_EQ(length({{"shift", -3}}, {{"shift", -1}}), 1);
  EXPECT_GT(length({{"n", std::numeric_limits<std::int64_t>::min()}}, {{"n", 0}}), 60);
}

}  // namespace
}  // namespace gktune
