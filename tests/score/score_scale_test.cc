#include "lab/score_scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tuner/recording/recording.h"

namespace gktune {
namespace {

// Trials that cost a second each, and take these times; 0 is a failure.
Recording recorded(const std::vector<double>& times_us) {
  Recording recording{.name = "made", .parameters = {{.name = "x"}}};
  for (const double time_us : times_us) {
    Trial trial{.config = {{"x", std::ssize(recording.trials)}}, .objective = time_us, .run_s = 1};
    if (time_us == 0) trial.status = Status::launch_failed;
    recording.trials.push_back(trial);
  }
  return complete(std::move(recording)).value();
}

std::vector<double> up_to(int count) {
  std::vector<double> times;
  for (int i = 1; i <= count; ++i) times.push_back(i);
  return times;
}

using Runs = std::vector<ScoredRun>;

ScoredRun run_of(const std::vector<std::size_t>& trials, double own_s = 0) {
  ScoredRun run;
  for (const std::size_t trial : trials) run.push_back({trial, own_s});
  return run;
}

TEST(ScoreScale, finding_the_optimum_early_scores_more_than_finding_it_late) {
  const ScoreScale scale = ScoreScale::make(recorded(up_to(200))).value();
  const auto mean = [&](const std::vector<std::size_t>& trials) {
    return scale.score(Runs{run_of(trials)}, OwnTime::ignored).mean;
  };
  EXPECT_DOUBLE_EQ(mean({0}), 1);
  EXPECT_GT(mean({50, 0}), mean({50, 60, 70, 0}));
  EXPECT_LT(mean({150, 151, 152}), 0);
}

TEST(ScoreScale, a_run_that_finds_nothing_valid_has_the_median) {
  std::vector<double> times = up_to(201);
  times.push_back(0);
  const ScoreScale scale = ScoreScale::make(recorded(times)).value();
  EXPECT_DOUBLE_EQ(scale.score(Runs{run_of({201})}, OwnTime::ignored).mean,
                   scale.score(Runs{run_of({100})}, OwnTime::ignored).mean);
  EXPECT_DOUBLE_EQ(scale.score(Runs{ScoredRun()}, OwnTime::ignored).mean,
                   scale.score(Runs{run_of({100})}, OwnTime::ignored).mean);
}

TEST(ScoreScale, failures_and_the_strategys_own_time_use_up_the_budget) {
  std::vector<double> times = up_to(200);
  times.insert(times.end(), {0, 0, 0});
  const ScoreScale scale = ScoreScale::make(recorded(times)).value();
  const auto at_once = scale.score(Runs{run_of({0})}, OwnTime::counted).mean;
  EXPECT_LT(scale.score(Runs{run_of({200, 201, 202, 0})}, OwnTime::counted).mean, at_once);
  EXPECT_LT(scale.score(Runs{run_of({0}, 3)}, OwnTime::counted).mean, at_once);
  EXPECT_EQ(scale.score(Runs{run_of({0}, 3)}, OwnTime::ignored).mean, at_once);
}

TEST(ScoreScale, a_repeated_evaluation_costs_nothing) {
  const ScoreScale scale = ScoreScale::make(recorded(up_to(200))).value();
  EXPECT_EQ(scale.score(Runs{run_of({9, 9, 9, 0})}, OwnTime::ignored).mean,
            scale.score(Runs{run_of({9, 0})}, OwnTime::ignored).mean);
}

TEST(ScoreScale, agrees_with_the_published_definition_on_a_recording) {
  const auto recording =
      read_recording(std::string(GKTUNE_SOURCE_DIR) + "/bench/recordings/saxpy-H200.json.gz").value();
  ASSERT_EQ(recording.trials.size(), 3780u);
  ScoredRun first, spread;
  for (std::size_t i = 0; i < 40; ++i) first.push_back({i, 0});
  for (std::size_t i = 0; i < 3780 && spread.size() < 40; i += 97) spread.push_back({i, 0.25});
  const ScoreScale scale = ScoreScale::make(recording).value();
  EXPECT_NEAR(scale.budget_s(), 13.228820000000002, 1e-9);
  EXPECT_NEAR(scale.score(Runs{first}, OwnTime::counted).mean, -3.9107788138339132, 1e-9);
  EXPECT_NEAR(scale.score(Runs{spread}, OwnTime::counted).mean, -4.349805673753671, 1e-9);
  EXPECT_NEAR(scale.score(Runs{spread}, OwnTime::counted).at_end, -0.5345538780403551, 1e-9);
  EXPECT_NEAR(scale.score(Runs{first, spread}, OwnTime::counted).mean, -4.130292243793792, 1e-9);
}

TEST(ScoreScale, agrees_with_the_published_definition_where_configurations_fail) {
  const auto recording =
      read_recording(std::string(GKTUNE_SOURCE_DIR) + "/tests/score/published/failures.json").value();
  ASSERT_EQ(recording.trials.size(), 144u);
  // The runs are sequences of places in the order of the keys.
  const auto run = [&](std::size_t begin, std::size_t step, double own_s) {
    ScoredRun found;
    for (std::size_t i = 0; i < 60; ++i) found.push_back({(begin + i * step) % 144, own_s});
    return found;
  };
  const ScoredRun a = run(3, 29, 0), b = run(140, 55, 0.125), c = run(0, 1, 0);
  const ScoreScale scale = ScoreScale::make(recording).value();
  EXPECT_NEAR(scale.budget_s(), 23.1416493, 1e-9);
  EXPECT_NEAR(scale.score(Runs{a}, OwnTime::counted).mean, -0.7195546907039113, 1e-9);
  EXPECT_NEAR(scale.score(Runs{a}, OwnTime::counted).at_end, -1.5425165785276582, 1e-9);
  EXPECT_NEAR(scale.score(Runs{b}, OwnTime::counted).mean, -0.5422794915343473, 1e-9);
  EXPECT_NEAR(scale.score(Runs{c}, OwnTime::counted).at_end, -0.14983631327121602, 1e-9);
  EXPECT_NEAR(scale.score(Runs{a, b, c}, OwnTime::counted).mean, -1.192934256021079, 1e-9);
}

TEST(ScoreScale, the_excess_is_the_median_of_the_best_first_evaluations_of_runs) {
  std::vector<double> times = up_to(200);
  times.push_back(0);
  const ScoreScale scale = ScoreScale::make(recorded(times)).value();
  const Runs runs = {run_of({9, 0}), run_of({4, 1}), run_of({200, 1})};
  EXPECT_DOUBLE_EQ(scale.excess(runs, 1), 9);
  EXPECT_DOUBLE_EQ(scale.excess(runs, 2), 1);
  EXPECT_DOUBLE_EQ(scale.excess(runs, 20), 1);
  EXPECT_TRUE(std::isinf(scale.excess(Runs{run_of({200})}, 5)));
}

TEST(ScoreScale, a_recording_without_different_times_or_costs_is_an_error) {
  EXPECT_EQ(ScoreScale::make(recorded({0, 0})).error().message,
            "made: a score needs two configurations with different times");
  EXPECT_EQ(ScoreScale::make(recorded({3, 3, 0})).error().message,
            "made: a score needs two configurations with different times");
  EXPECT_EQ(ScoreScale::make(recorded({1, 1, 1, 5})).error().message,
            "made: half of the configurations are the fastest, so any search is as good");
  Recording free = recorded(up_to(10));
  for (Trial& trial : free.trials) trial.run_s = 0;
  EXPECT_EQ(ScoreScale::make(free).error().message, "made: the cost of the configurations is not recorded");
}

}  // namespace
}  // namespace gktune
