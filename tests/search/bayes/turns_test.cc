#include "tuner/search/bayes/turns.h"

#include <gtest/gtest.h>

#include <array>

namespace gktune {
namespace {

Trial trial_of(double objective) { return {.objective = objective, .compile_s = 0.5, .run_s = 0.5}; }

// Trials without a better one.
void tell_worse(Turns& turns, int trials) {
  for (int i = 0; i < trials; ++i) turns.tell(trial_of(100), Proposer::process);
}

std::array<int, 3> count_turns(Turns& turns, int proposals) {
  std::array<int, 3> counts = {};
  for (int i = 0; i < proposals; ++i) ++counts[static_cast<std::size_t>(turns.next())];
  return counts;
}

constexpr std::array<int, 3> kLeaderAlone = {8, 0, 0}, kTurns = {4, 2, 2};

TEST(Turns, the_leader_proposes_while_better_ones_are_found) {
  Turns turns(10, {});
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(turns.next(), Proposer::process);
    turns.tell(trial_of(100 - i), Proposer::process);
  }
}

TEST(Turns, begin_after_as_many_trials_without_a_better_one_as_the_patience) {
  Turns turns(10, {});
  for (int i = 0; i < 20; ++i) turns.tell(trial_of(100 - i), Proposer::process);
  tell_worse(turns, 9);
  EXPECT_EQ(count_turns(turns, 8), kLeaderAlone);
  tell_worse(turns, 1);
  EXPECT_EQ(count_turns(turns, 8), kTurns);
}

TEST(Turns, begin_later_after_many_trials) {
  Turns turns(10, {});
  for (int i = 0; i < 200; ++i) turns.tell(trial_of(1000 - 4 * i), Proposer::process);
  tell_worse(turns, 15);
  EXPECT_EQ(count_turns(turns, 8), kLeaderAlone);
}

TEST(Turns, do_not_begin_before_twice_the_patience) {
  Turns turns(10, {});
  tell_worse(turns, 19);
  EXPECT_EQ(count_turns(turns, 8), kLeaderAlone);
  tell_worse(turns, 1);
  EXPECT_EQ(count_turns(turns, 8), kTurns);
}

TEST(Turns, begin_sooner_if_the_budget_allows_few_trials) {
  Turns by_trials(10, {.trials = 50}), by_time(10, {.seconds = 50}),
      by_both(10, {.trials = 500, .seconds = 50});
  for (Turns* const turns : {&by_trials, &by_time, &by_both}) {
    tell_worse(*turns, 9);
    EXPECT_EQ(count_turns(*turns, 8), kLeaderAlone);
    tell_worse(*turns, 1);
    EXPECT_EQ(count_turns(*turns, 8), kTurns);
  }
}

TEST(Turns, who_finds_a_better_one_gets_more_turns) {
  Turns turns(10, {});
  tell_worse(turns, 20);
  turns.next();
  turns.tell(trial_of(50), Proposer::classifier);
  EXPECT_EQ(count_turns(turns, 8), kLeaderAlone);  // the search is not stuck any more
  tell_worse(turns, 10);
  EXPECT_EQ(count_turns(turns, 10), (std::array<int, 3>{4, 4, 2}));
}

TEST(Turns, a_slightly_better_one_does_not_end_them) {
  Turns turns(10, {});
  tell_worse(turns, 20);
  turns.tell(trial_of(99.9), Proposer::process);
  EXPECT_EQ(count_turns(turns, 8), kTurns);
}

TEST(Turns, a_failure_is_not_better) {
  Turns turns(10, {});
  tell_worse(turns, 20);
  turns.tell({.status = Status::launch_failed, .objective = 1}, Proposer::process);
  EXPECT_EQ(count_turns(turns, 8), kTurns);
}

TEST(Turns, a_maximised_objective_is_negative) {
  Turns turns(10, {});
  for (int i = 0; i < 20; ++i) turns.tell(trial_of(-100), Proposer::process);
  EXPECT_EQ(count_turns(turns, 8), kTurns);
  turns.tell(trial_of(-110), Proposer::process);
  EXPECT_EQ(count_turns(turns, 8), kLeaderAlone);
}

}  // namespace
}  // namespace gktune
