#include "cli/tune_problem.h"

#include <gtest/gtest.h>

#include <sstream>

#include "example_database.h"
#include "tuner/device/replay/replay_device.h"

namespace gktune {
namespace {

// A kernel with ten configurations, x = 1..10, whose times were recorded: the larger x, the faster.
class TuneProblem : public ::testing::Test {
 protected:
  TuneProblem() {
    definition_.path = "line.yaml";
    definition_.kernel.name = "line";
    definition_.fingerprint = "f1";
    definition_.parameters = {x_up_to(10)};
  }

  static Parameter x_up_to(int last) {
    Parameter x;
    x.name = "x";
    for (int value = 1; value <= last; ++value) x.values.emplace_back(value);
    return x;
  }

  static Trial recorded(int x) {
    Trial trial = good_trial(0, 100 - x);
    trial.config = {{"x", x}};
    trial.samples_us = Samples(10, 100 - x);
    return trial;
  }

  static ReplayDevice device() {
    DeviceInfo info;
    info.kind = "replay";
    info.name = "recorded";
    std::vector<Trial> trials;
    for (int x = 1; x <= 10; ++x) trials.push_back(recorded(x));
    trials[3] = bad_trial(0, Status::wrong_result, "off by one");
    trials[3].config = {{"x", 4}};
    return ReplayDevice(std::move(info), std::move(trials), 2);
  }

  TuneRequest request() const { return {.definition = definition_, .problem = {}, .strategy = "exhaustive"}; }

  Result<Tuning, TuneFailure> tune(const TuneRequest& request) {
    ReplayDevice replay = device();
    std::ostringstream err;
    Progress progress(err, {}, Progress::Mode::hidden);
    return tune_problem(request, {replay, store_, session_, progress, stop_});
  }

  TestFolder folder_;
  Store store_ = Store::open(folder_.file("trials.db"), Store::Mode::write).value();
  std::int64_t session_ = store_.begin_session({}).value();
  std::function<bool()> stop_ = [] { return false; };
  Definition definition_;
};

TEST_F(TuneProblem, stores_every_trial_and_the_best) {
  auto tuning = tune(request());
  ASSERT_TRUE(tuning.ok()) << tuning.error().message;
  EXPECT_EQ(tuning->trials.size(), 10u);
  EXPECT_EQ(tuning->valid, "10");
  EXPECT_EQ(store_.trials(1)->size(), 10u);
  auto best = store_.best("line");
  ASSERT_EQ(best->size(), 1u);
  EXPECT_EQ(best->front().trial.config, (Config{{"x", 10}}));
  EXPECT_TRUE(best->front().from_playoff);
  EXPECT_EQ(best->front().failed, 1);
}

TEST_F(TuneProblem, a_second_run_measures_nothing) {
  ASSERT_TRUE(tune(request()).ok());
  auto again = tune(request());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->outcome.measured, 0);
  EXPECT_EQ(again->earlier, 10);
  EXPECT_EQ(again->outcome.best->config, (Config{{"x", 10}}));
  EXPECT_TRUE(store_.best("line")->front().from_playoff);
}

TEST_F(TuneProblem, a_second_run_tells_the_winner_of_the_playoff_that_was_held) {
  ASSERT_TRUE(tune(request()).ok());
  ASSERT_TRUE(store_.set_best(1, {{"x", 9}}, {7.5, 8.5, 9.5}).ok());
  auto again = tune(request());
  EXPECT_EQ(again->outcome.best->config, (Config{{"x", 9}}));
  EXPECT_EQ(again->outcome.playoff, (Samples{7.5, 8.5, 9.5}));
  EXPECT_EQ(store_.best("line")->front().median_us, 8.5);
}

TEST_F(TuneProblem, a_bound_on_trials_counts_the_earlier_ones) {
  TuneRequest four = request();
  four.trials = 4;
  EXPECT_EQ(tune(four)->outcome.measured, 4);
  four.trials = 7;
  auto more = tune(four);
  EXPECT_EQ(more->outcome.measured, 3);
  EXPECT_EQ(more->earlier, 4);
  EXPECT_EQ(more->outcome.end, TuneOutcome::End::trials);
}

TEST_F(TuneProblem, a_budget_counts_the_seconds_of_earlier_runs) {
  TuneRequest four = request();
  four.trials = 4;
  ASSERT_TRUE(tune(four).ok());  // three of 0.75 s and a failure
  TuneRequest spent = request();
  spent.budget_s = 2;
  auto nothing = tune(spent);
  EXPECT_EQ(nothing->outcome.measured, 0);
  EXPECT_EQ(nothing->outcome.end, TuneOutcome::End::seconds);
  EXPECT_TRUE(nothing->outcome.best.has_value());
  spent.budget_s = 100;
  EXPECT_EQ(tune(spent)->outcome.measured, 6);
}

TEST_F(TuneProblem, a_budget_is_of_seconds_that_pass_side_by_side) {
  TuneRequest four = request();
  four.trials = 4;
  ASSERT_TRUE(tune(four).ok());
  TuneRequest many = request();
  many.budget_s = 2;
  many.compilers = many.devices = 16;
  EXPECT_EQ(tune(many)->outcome.measured, 6);
}

TEST_F(TuneProblem, a_search_of_some_values_does_not_dethrone_what_beats_them_all) {
  definition_.parameters[0].values = {6, 7, 8, 9, 10};
  ASSERT_TRUE(tune(request()).ok());
  definition_.parameters[0].values = {1, 2, 3, 4, 5};
  auto some = tune(request());
  EXPECT_EQ(some->outcome.measured, 5);
  EXPECT_EQ(some->outcome.best->config, (Config{{"x", 5}}));
  EXPECT_EQ(store_.best("line")->front().trial.config, (Config{{"x", 10}}));
}

TEST_F(TuneProblem, afresh_everything_is_measured_again) {
  ASSERT_TRUE(tune(request()).ok());
  TuneRequest fresh = request();
  fresh.earlier = TuneRequest::Earlier::ignored;
  auto again = tune(fresh);
  EXPECT_EQ(again->outcome.measured, 10);
  EXPECT_EQ(again->earlier, 0);
}

TEST_F(TuneProblem, what_the_file_no_longer_lists_is_left_out) {
  ASSERT_TRUE(tune(request()).ok());
  definition_.parameters = {x_up_to(5)};
  auto narrow = tune(request());
  EXPECT_EQ(narrow->earlier, 5);
  EXPECT_EQ(narrow->outcome.best->config, (Config{{"x", 5}}));
  EXPECT_EQ(store_.trials(1)->size(), 10u);
}

TEST_F(TuneProblem, another_source_begins_anew) {
  ASSERT_TRUE(tune(request()).ok());
  definition_.fingerprint = "f2";
  EXPECT_EQ(tune(request())->outcome.measured, 10);
}

TEST_F(TuneProblem, a_stop_keeps_what_was_in_flight) {
  int asked = 0;
  stop_ = [&asked] { return ++asked > 3; };
  auto stopped = tune(request());
  ASSERT_TRUE(stopped.ok());
  EXPECT_EQ(stopped->outcome.end, TuneOutcome::End::stopped);
  EXPECT_EQ(stopped->outcome.measured, 3);
  EXPECT_EQ(store_.trials(1)->size(), 3u);
}

TEST_F(TuneProblem, an_empty_space_tells_whose_constraints_emptied_it) {
  definition_.constraints = {{Expression::parse("x > 10").value()}};
  auto empty = tune(request());
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().code, ExitCode::no_configuration);
  EXPECT_EQ(empty.error().message,
            "line.yaml: no configuration is valid: 0 of 10 combinations are valid; the file's constraints "
            "rule out 10");
}

TEST_F(TuneProblem, a_constraint_that_fails_is_shown) {
  definition_.constraints = {{Expression::parse("10 // (x - 1) > 1").value()}};
  auto broken = tune(request());
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().code, ExitCode::usage);
  EXPECT_NE(broken.error().message.find("\n  10 // (x - 1) > 1\n  "), std::string::npos)
      << broken.error().message;
}

TEST_F(TuneProblem, an_unknown_strategy_is_a_usage_error) {
  TuneRequest misspelt = request();
  misspelt.strategy = "exhasutive";
  EXPECT_EQ(tune(misspelt).error().code, ExitCode::usage);
}

}  // namespace
}  // namespace gktune
