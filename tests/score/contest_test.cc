#include "lab/contest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace gktune {
namespace {

// 400 configurations with one minimum. Each costs a second, and those at the edge fail.
std::unique_ptr<ScoredRecording> bowl() {
  Recording recording{.name = "bowl", .parameters = {{.name = "x"}, {.name = "y"}}};
  for (int x = 0; x < 20; ++x) {
    for (int y = 0; y < 20; ++y) {
      Trial trial{.config = {{"x", x}, {"y", y}}, .run_s = 1};
      trial.objective = 100 + (x - 5) * (x - 5) + (y - 12) * (y - 12);
      trial.timing.median_us = trial.objective;
      if (x == 19) trial.status = Status::launch_failed;
      recording.trials.push_back(std::move(trial));
    }
  }
  return ScoredRecording::make(complete(std::move(recording)).value()).value();
}

TEST(Contest, a_run_uses_up_the_budget_without_repeats) {
  const auto recording = bowl();
  for (const std::size_t in_flight : {1u, 4u, 16u}) {
    const ScoredRun run = play({"random"}, *recording, 7, in_flight).value();
    EXPECT_EQ(run.size(), static_cast<std::size_t>(std::ceil(recording->scale().budget_s())));
    std::set<std::size_t> seen;
    for (const ScoredStep& step : run) EXPECT_TRUE(seen.insert(step.trial).second);
  }
}

TEST(Contest, a_genetic_search_scores_more_than_random_search) {
  std::vector<std::unique_ptr<ScoredRecording>> recordings;
  recordings.push_back(bowl());
  const auto runs =
      hold_contest({{"random"}, {"genetic"}}, recordings, {.repeats = 100, .threads = 2}).value();
  const ScoreScale& scale = recordings[0]->scale();
  const double random = scale.score(runs[0][0], OwnTime::ignored).mean;
  EXPECT_NEAR(random, 0, 0.3);
  EXPECT_GT(scale.score(runs[1][0], OwnTime::ignored).mean, random + 0.15);
}

TEST(Contest, one_seed_gives_the_same_runs_on_any_number_of_threads) {
  std::vector<std::unique_ptr<ScoredRecording>> recordings;
  recordings.push_back(bowl());
  recordings.push_back(bowl());
  const auto trials = [&](std::uint64_t seed, std::size_t threads) {
    std::vector<std::size_t> found;
    const auto all = hold_contest({{"random"}, {"genetic"}}, recordings,
                                  {.repeats = 3, .seed = seed, .in_flight = 2, .threads = threads})
                         .value();
    for (const auto& of_contender : all) {
      for (const ContestRuns& runs : of_contender) {
        for (const ScoredRun& run : runs) {
          for (const ScoredStep& step : run) found.push_back(step.trial);
        }
      }
    }
    return found;
  };
  EXPECT_EQ(trials(1, 1), trials(1, 4));
  EXPECT_NE(trials(1, 1), trials(2, 1));
}

TEST(Contest, an_option_that_a_strategy_does_not_have_is_an_error) {
  std::vector<std::unique_ptr<ScoredRecording>> recordings;
  recordings.push_back(bowl());
  const auto runs = hold_contest({{"random", {{"speed", 3}}}}, recordings, {.repeats = 5});
  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().message, "strategy 'random' has no option 'speed'");
}

TEST(Contest, a_stopped_contest_has_no_runs) {
  std::vector<std::unique_ptr<ScoredRecording>> recordings;
  recordings.push_back(bowl());
  EXPECT_TRUE(hold_contest({{"random"}}, recordings, {.stop = [] { return true; }}).value().empty());
}

}  // namespace
}  // namespace gktune
