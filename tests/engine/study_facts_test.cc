#include "engine/study_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "db/database.h"
#include "tests/example_database.h"

namespace gktune {
namespace {

Trial trial_of(Config config, double time_us) {
  Trial trial = good_trial(0, time_us);
  trial.config = std::move(config);
  trial.started_unix_ms = trial.ended_unix_ms = 0;
  return trial;
}

Trial failed_trial(Config config, Status status, std::string message) {
  Trial trial = bad_trial(0, status, std::move(message));
  trial.config = std::move(config);
  trial.started_unix_ms = trial.ended_unix_ms = 0;
  return trial;
}

// A store with one study.
class Facts : public ::testing::Test {
 protected:
  StudyFacts facts_of_trials(const std::vector<Trial>& trials, const std::string& objective = "time") {
    const auto session = store_.begin_session({"0.1.0", "here", "gktune run", device_});
    const auto study =
        store_.study_id({"scale", "f1", {"cuda", "NVIDIA H200", "sm_90", 132}, {}, Regime::cold, objective});
    for (const Trial& trial : trials) EXPECT_TRUE(store_.add_trial(*study, *session, trial).ok());
    return facts_of_study(*study);
  }
  StudyFacts facts_of_study(std::int64_t id) {
    return *facts_of(store_, **store_.study(id), *store_.winners(""));
  }
  std::unique_ptr<Database> in_memory_ = *Database::in_memory();
  Database& store_ = *in_memory_;
  DeviceInfo device_;
};

TEST_F(Facts, values_are_ordered_with_numbers_before_texts) {
  const auto facts =
      facts_of_trials({trial_of({{"n", 128}, {"way", "b"}}, 3), trial_of({{"n", 16}, {"way", "a"}}, 2),
                       trial_of({{"n", 0.5}, {"way", true}}, 1)});
  ASSERT_EQ(facts.parameters.size(), 2u);
  EXPECT_EQ(facts.parameters[0].name, "n");
  EXPECT_EQ(facts.parameters[0].values, (std::vector<Value>{0.5, 16, 128}));
  EXPECT_TRUE(facts.parameters[0].is_ordered);
  EXPECT_EQ(facts.parameters[1].values, (std::vector<Value>{true, "a", "b"}));
  EXPECT_FALSE(facts.parameters[1].is_ordered);
  EXPECT_EQ(facts.points[0].places, (std::vector<std::uint32_t>{2, 2}));
}

TEST_F(Facts, improvements_are_the_trials_that_were_the_best_so_far) {
  const auto facts =
      facts_of_trials({failed_trial({{"n", 1}}, Status::crashed, ""), trial_of({{"n", 2}}, 9),
                       trial_of({{"n", 3}}, 12), trial_of({{"n", 4}}, 7), trial_of({{"n", 5}}, 7)});
  EXPECT_EQ(facts.improvements, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(facts.ranking, (std::vector<std::size_t>{3, 4, 1, 2}));
  EXPECT_TRUE(std::isnan(facts.points[0].score));
  EXPECT_EQ(facts.leaders.front().timing.median_us, 7);
  ASSERT_TRUE(facts.winner);
  EXPECT_EQ(facts.winner->trial.timing.median_us, 7);
}

TEST_F(Facts, trials_are_ranked_by_the_time_that_is_shown) {
  Trial first = trial_of({{"n", 1}}, 5), second = trial_of({{"n", 2}}, 6);
  first.objective = 9, second.objective = 8;  // means, of a database that imported them
  const auto facts = facts_of_trials({first, second});
  EXPECT_EQ(facts.improvements, (std::vector<std::size_t>{0}));
  EXPECT_EQ(facts.ranking, (std::vector<std::size_t>{0, 1}));
}

TEST_F(Facts, a_metric_is_the_score_if_it_is_the_objective) {
  Trial slow = trial_of({{"n", 1}}, 5), fast = trial_of({{"n", 2}}, 6);
  slow.metrics = {{"GB/s", 100.0}}, slow.objective = -100;
  fast.metrics = {{"GB/s", 300.0}}, fast.objective = -300;
  const auto facts = facts_of_trials({slow, fast}, "maximize GB/s");
  EXPECT_EQ(facts.score_name, "GB/s");
  EXPECT_TRUE(facts.higher_is_better);
  EXPECT_EQ(facts.points[1].score, 300);
  ASSERT_TRUE(facts.gain);
  EXPECT_EQ(facts.ranking, (std::vector<std::size_t>{1, 0}));
}

TEST_F(Facts, the_time_axis_leaves_out_pauses) {
  Trial first = trial_of({{"n", 1}}, 3), second = trial_of({{"n", 2}}, 3), later = trial_of({{"n", 3}}, 3);
  first.started_unix_ms = 1000, first.ended_unix_ms = 3000;
  second.started_unix_ms = 2000, second.ended_unix_ms = 4500;  // beside the first
  later.started_unix_ms = 4500 + 3600 * 1000, later.ended_unix_ms = later.started_unix_ms + 1000;
  const auto facts = facts_of_trials({first, second, later});
  EXPECT_DOUBLE_EQ(facts.points[0].elapsed_s, 2);
  EXPECT_DOUBLE_EQ(facts.points[1].elapsed_s, 3.5);
  EXPECT_DOUBLE_EQ(facts.points[2].elapsed_s, 3.5 + 10 + 1);
}

TEST_F(Facts, the_time_axis_adds_up_costs_of_trials_without_timestamps) {
  const auto facts = facts_of_trials({trial_of({{"n", 1}}, 3), trial_of({{"n", 2}}, 3)});
  EXPECT_DOUBLE_EQ(facts.points[1].elapsed_s, 1.5);
}

TEST_F(Facts, messages_that_differ_only_in_digits_have_one_cause) {
  const auto facts =
      facts_of_trials({failed_trial({{"n", 1}}, Status::wrong_result, "3 of 7 elements differ\nmore"),
                       failed_trial({{"n", 2}}, Status::wrong_result, "12 of 7 elements differ"),
                       failed_trial({{"n", 3}}, Status::crashed, "signal 11")});
  ASSERT_EQ(facts.causes.size(), 2u);
  EXPECT_EQ(facts.causes[0].count, 2);
  EXPECT_EQ(facts.causes[0].message, "3 of 7 elements differ");
  EXPECT_EQ(facts.causes[0].example, facts.points[0].id);
  EXPECT_EQ(facts.causes[1].status, Status::crashed);
  EXPECT_FALSE(facts.winner);
  EXPECT_TRUE(facts.distribution.edges.empty());
}

// 8 × 5 configurations; the time depends on n and, twice as much, on whether the way is "slow".
std::vector<Trial> forty_trials() {
  std::vector<Trial> trials;
  for (int n = 0; n < 8; ++n) {
    for (const std::string way : {"a", "b", "c", "d", "slow"}) {
      trials.push_back(trial_of({{"n", n}, {"way", way}}, std::exp(0.1 * n + (way == "slow" ? 1 : 0))));
    }
  }
  return trials;
}

TEST_F(Facts, parameters_share_the_variance_of_the_logarithm) {
  const auto facts = facts_of_trials(forty_trials());
  const double of_n = 0.01 * 63 / 12, of_way = 0.2 * 0.8;
  EXPECT_NEAR(facts.shares.factors[0], of_n / (of_n + of_way), 1e-9);
  EXPECT_NEAR(facts.shares.factors[1], of_way / (of_n + of_way), 1e-9);
}

TEST_F(Facts, facts_need_no_more_than_one_trial_or_none) {
  const auto one = facts_of_trials({trial_of({{"n", 1}}, 5)});
  EXPECT_EQ(one.shares.factors, (std::vector<double>{0}));
  EXPECT_FALSE(one.gain);
  const auto study =
      store_.study_id({"empty", "f1", {"cuda", "NVIDIA H200", "sm_90", 132}, {}, Regime::cold, "time"});
  const auto none = facts_of_study(*study);
  EXPECT_TRUE(none.points.empty());
  EXPECT_FALSE(none.winner);
}

TEST_F(Facts, a_missing_value_of_a_parameter_is_shown_as_none) {
  const auto facts = facts_of_trials({trial_of({{"n", 1}, {"m", 2}}, 5), trial_of({{"n", 2}}, 6)});
  EXPECT_EQ(facts.parameters[0].values, (std::vector<Value>{2, "(none)"}));
}

TEST_F(Facts, metrics_have_shares_of_the_peaks_of_the_device) {
  device_.kind = "cuda", device_.name = "NVIDIA H200", device_.architecture = "sm_90",
  device_.multiprocessors = 132;
  device_.memory_clock_khz = 3201000, device_.memory_bus_bits = 6144;
  Trial trial = trial_of({{"n", 1}}, 5);
  trial.metrics = {{"GB/s", 2458.5}};
  const auto facts = facts_of_trials({trial});
  ASSERT_EQ(facts.peaks.size(), 1u);
  EXPECT_NEAR(facts.peaks[0].share, 0.5, 1e-3);
  EXPECT_EQ(facts.host_name, "here");
}

// 40 × 30 × 3 configurations in an order that mixes good and bad ones.
StudyFacts facts_of_many() {
  StudyFacts facts;
  for (const std::size_t values : {40u, 30u, 3u}) {
    facts.parameters.push_back({"parameter", std::vector<Value>(values), true});
  }
  double best = 1e9;
  for (std::uint32_t i = 0; i < 3600; ++i) {
    const std::uint32_t j = i * 1009 % 3600;
    facts.points.push_back({.id = i + 1, .places = {j % 40, j / 40 % 30, j / 1200}, .score = 10.0 + j % 977});
    facts.ranking.push_back(i);
    if (facts.points.back().score < best) facts.improvements.push_back(i);
    best = std::min(best, facts.points.back().score);
  }
  std::ranges::stable_sort(facts.ranking, {}, [&](std::size_t i) { return facts.points[i].score; });
  return facts;
}

TEST(Sample, has_the_wanted_size_with_improvements_and_the_best) {
  const StudyFacts facts = facts_of_many();
  EXPECT_EQ(sample_of(facts, 5000).size(), 3600u);
  const std::vector<std::size_t> sample = sample_of(facts, 2000);
  EXPECT_EQ(sample.size(), 2000u);
  EXPECT_TRUE(std::ranges::is_sorted(sample));
  const auto has = [&](std::size_t i) { return std::ranges::binary_search(sample, i); };
  EXPECT_TRUE(std::ranges::all_of(facts.improvements, has));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_TRUE(has(facts.ranking[i]));
}

}  // namespace
}  // namespace gktune
