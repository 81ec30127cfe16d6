#include "tuner/tune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "tests/tune/recorded.h"
#include "tuner/device/replay/replay_device.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {
namespace {

using End = TuneOutcome::End;

// The time falls to its least at x = 7.
Trial valley(Config config) {
  double x = config.find("x")->number();
  return timed_trial(std::move(config), 10 + (x - 7) * (x - 7));
}

Trial with_failures(Config config) {
  std::int64_t x = config.find("x")->integer();
  return x % 2 == 1 ? failed_trial(std::move(config), Status::wrong_result) : valley(std::move(config));
}

// All trials fail like this.
auto failing(Status status, const std::string& message) {
  return [=](Config config) {
    Trial trial = failed_trial(std::move(config), status);
    trial.message = message;
    return trial;
  };
}

// Every configuration, in the order of the space.
class InOrder : public Searcher {
 public:
  explicit InOrder(const SearchTask& task) : untried_(task.space) {}
  std::optional<Config> ask() override {
    while (next_ < untried_.space().size()) {
      Config config = untried_.space().at(next_++);
      if (untried_.take(config)) return config;
    }
    return std::nullopt;
  }
  void tell(const Trial& trial) override { untried_.take(trial.config); }

 private:
  Untried untried_;
  std::uint64_t next_ = 0;
};

class Tune : public testing::Test {
 protected:
  TuneOutcome tune_line(const std::function<Trial(Config)>& trial_of, const TuneTask& task,
                        const std::function<bool()>& stop = {}) {
    ReplayDevice device({}, recorded_line(20, trial_of), 4);
    return tune_on(device, task, {.stop = stop});
  }

  TuneOutcome tune_on(Device& device, const TuneTask& task, TuneEvents events = {}) {
    InOrder search({.space = space_});
    if (!events.on_trial) events.on_trial = [&](const Trial& trial) { seen_.push_back(trial); };
    events.on_revoked = [&](const Trial& trial) { revoked_.push_back(trial); };
    return tune(task, search, device, events);
  }

  TuneOutcome tune_one_by_one(const std::function<Trial(Config)>& trial_of, const TuneLimits& limits) {
    ReplayDevice device({}, recorded_line(20, trial_of), 1);
    return tune_on(device, {.limits = limits});
  }

  Space space_ = line_space(20);
  std::vector<Trial> seen_, revoked_;
};

TEST_F(Tune, finds_the_best_of_a_whole_space) {
  TuneOutcome outcome = tune_line(valley, {});
  EXPECT_EQ(outcome.end, End::exhausted);
  EXPECT_EQ(outcome.measured, 20);
  ASSERT_TRUE(outcome.best.has_value());
  EXPECT_EQ(outcome.best->config, (Config{{"x", 7}}));
  EXPECT_FALSE(outcome.playoff.empty());
}

TEST_F(Tune, every_trial_is_reported_including_failures) {
  TuneOutcome outcome = tune_line(with_failures, {});
  EXPECT_EQ(seen_.size(), 20u);
  EXPECT_EQ(std::ranges::count(seen_, Status::wrong_result, &Trial::status), 10);
  EXPECT_EQ(outcome.best->config.find("x")->integer() % 2, 0);
}

TEST_F(Tune, a_space_of_failures_has_no_best) {
  TuneOutcome outcome = tune_line(failing(Status::crashed, ""), {});
  EXPECT_EQ(outcome.end, End::exhausted);
  EXPECT_FALSE(outcome.best.has_value());
  EXPECT_TRUE(outcome.playoff.empty());
}

Trial flat(Config config) { return timed_trial(std::move(config), 100); }

Trial declining(Config config) {
  const double x = config.find("x")->number();
  return timed_trial(std::move(config), 100 - 3 * x);
}

TEST_F(Tune, ends_when_too_many_trials_in_a_row_save_too_little) {
  const TuneOutcome outcome = tune_one_by_one(flat, {.gain = 0.2, .patience = 5});
  EXPECT_EQ(outcome.end, End::converged);
  EXPECT_EQ(outcome.measured, 6);
}

TEST_F(Tune, small_gains_add_up) {
  EXPECT_EQ(tune_one_by_one(declining, {.gain = 0.2, .patience = 8}).end, End::exhausted);
  EXPECT_EQ(tune_one_by_one(declining, {.gain = 0.2, .patience = 5}).end, End::converged);
}

TEST_F(Tune, failures_alone_do_not_end_a_search) {
  EXPECT_EQ(tune_one_by_one(failing(Status::wrong_result, ""), {.gain = 0.2, .patience = 5}).end,
            End::exhausted);
}

TEST_F(Tune, earlier_trials_that_saved_nothing_count_towards_the_end) {
  TuneOutcome outcome =
      tune_line(flat, {.earlier = recorded_line(6, flat), .limits = {.gain = 0.2, .patience = 5}});
  EXPECT_EQ(outcome.end, End::converged);
  EXPECT_EQ(outcome.measured, 0);
}

TEST_F(Tune, trials_submitted_before_the_best_was_known_do_not_count_towards_the_end) {
  ReplayDevice device({}, recorded_line(20, flat), 8);
  const TuneOutcome outcome = tune_on(device, {.limits = {.gain = 0.2, .patience = 5}});
  EXPECT_EQ(outcome.end, End::converged);
  EXPECT_GE(outcome.measured, 8 + 5);
}

// A search that always expects the same gain.
class Hopeful : public InOrder {
 public:
  Hopeful(const SearchTask& task, double gain) : InOrder(task), gain_(gain) {}
  std::optional<double> expected_gain() const override { return gain_; }

 private:
  double gain_;
};

TEST_F(Tune, goes_on_while_the_searcher_expects_to_save_enough) {
  const auto end_of = [&](double expected) {
    ReplayDevice device({}, recorded_line(20, flat), 1);
    Hopeful search({.space = space_}, expected);
    return tune({.limits = {.gain = 0.2, .patience = 5}}, search, device, {}).end;
  };
  EXPECT_EQ(end_of(0.3), End::exhausted);
  EXPECT_EQ(end_of(0.1), End::converged);
}

TEST_F(Tune, ends_after_as_many_trials_as_were_allowed) {
  TuneOutcome outcome = tune_line(valley, {.limits = {.trials = 6}});
  EXPECT_EQ(outcome.end, End::trials);
  EXPECT_EQ(outcome.measured, 6);
}

TEST_F(Tune, a_stop_skips_waiting_candidates_and_the_playoff) {
  for (const std::int64_t submitted : {20, 4}) {
    seen_.clear();
    TuneOutcome outcome =
        tune_line(valley, {.limits = {.trials = submitted}}, [&] { return seen_.size() >= 2; });
    EXPECT_EQ(outcome.end, End::stopped);
    EXPECT_EQ(outcome.measured, 2);
    EXPECT_TRUE(outcome.playoff.empty());
    EXPECT_TRUE(outcome.best.has_value());
  }
}

// A trial that never ran says nothing about its configuration.
TEST_F(Tune, a_failing_machine_ends_the_run_and_fails_no_configuration) {
  const auto until_the_disk_is_full = [fails = failing(Status::machine_failed, "no space")](Config config) {
    return config.find("x")->integer() < 4 ? valley(std::move(config)) : fails(std::move(config));
  };
  TuneOutcome outcome = tune_line(until_the_disk_is_full, {});
  EXPECT_EQ(outcome.end, End::machine_failed);
  EXPECT_EQ(outcome.failure, "no space");
  EXPECT_EQ(outcome.measured, 3);
  EXPECT_EQ(seen_.size(), 3u);
  ASSERT_TRUE(outcome.best.has_value());
  EXPECT_EQ(outcome.best->config, (Config{{"x", 3}}));
  EXPECT_TRUE(outcome.playoff.empty());

  TuneOutcome later = tune_line(valley, {.earlier = seen_});
  EXPECT_EQ(later.end, End::exhausted);
  EXPECT_EQ(later.measured, 17);
  EXPECT_EQ(later.failure, std::nullopt);
}

TEST_F(Tune, a_failing_reference_ends_the_problem_with_its_message) {
  TuneOutcome outcome = tune_line(failing(Status::reference_failed, "the reference: a trap"), {});
  EXPECT_EQ(outcome.end, End::reference_failed);
  EXPECT_EQ(outcome.failure, "the reference: a trap");
  EXPECT_EQ(outcome.measured, 0);
  EXPECT_TRUE(seen_.empty());
  EXPECT_FALSE(outcome.was_cut_short());  // other problems may have a better reference
}

TEST_F(Tune, a_machine_that_fails_for_the_last_candidates_is_reported_too) {
  const auto last_fail = [](Config config) {
    if (config.find("x")->integer() <= 20 - kMostUnjudged) return valley(std::move(config));
    return failed_trial(std::move(config), Status::machine_failed);
  };
  EXPECT_EQ(tune_line(last_fail, {}).end, End::machine_failed);
  EXPECT_EQ(tune_line(last_fail, {.limits = {.trials = 20}}).end, End::machine_failed);
}

TEST_F(Tune, a_configuration_that_cannot_be_judged_does_not_end_the_run) {
  const auto every_third_fails = [fails = failing(Status::machine_failed, "killed")](Config config) {
    return config.find("x")->integer() % 3 > 0 ? valley(std::move(config)) : fails(std::move(config));
  };
  const TuneOutcome outcome = tune_line(every_third_fails, {.timing = {.drift_interval = 2}});
  EXPECT_EQ(outcome.end, End::exhausted);
  EXPECT_EQ(outcome.failure, std::nullopt);
  EXPECT_EQ(outcome.measured, 14);
  EXPECT_EQ(outcome.unjudged, 6);
  EXPECT_EQ(outcome.why_unjudged, "killed");
  EXPECT_EQ(outcome.best->config, (Config{{"x", 7}}));
  EXPECT_FALSE(outcome.playoff.empty());
  for (const Trial& trial : seen_) EXPECT_TRUE(trial.ok());
  seen_.clear();
  // A candidate that cannot be judged does not count as a trial.
  EXPECT_EQ(tune_line(every_third_fails, {.limits = {.trials = 10}}).measured, 10);
}

TEST_F(Tune, a_machine_that_fails_for_all_candidates_is_reported) {
  const TuneOutcome outcome =
      tune_line(failing(Status::machine_failed, "killed"), {.earlier = recorded_line(19, valley)});
  EXPECT_EQ(outcome.end, End::machine_failed);
  EXPECT_EQ(outcome.failure, "killed");
  EXPECT_TRUE(outcome.was_cut_short());
}

TEST_F(Tune, slow_candidates_are_dropped_early_if_time_is_the_objective) {
  auto steep = [](Config config) {
    double x = config.find("x")->number();
    return timed_trial(std::move(config), x);
  };
  tune_line(steep, {.timing = {.cutoff = TimingPolicy::Cutoff::learned}});
  EXPECT_FALSE(seen_.front().is_dropped_early);
  EXPECT_TRUE(seen_.back().is_dropped_early);

  seen_.clear();
  tune_line(steep, {.timing = {.cutoff = TimingPolicy::Cutoff::none}});
  EXPECT_FALSE(seen_.back().is_dropped_early);
}

// Notes the leader that each candidate knows when it is submitted.
class LeaderNotes final : public Device {
 public:
  explicit LeaderNotes(Device& device) : device_(device) {}
  const DeviceInfo& info() const override { return device_.info(); }
  std::size_t capacity() const override { return device_.capacity(); }
  void submit(Candidate candidate) override {
    if (candidate.cutoff) leaders_us.push_back(candidate.cutoff->leader.median_us);
    device_.submit(std::move(candidate));
  }
  Trial next() override { return device_.next(); }
  std::size_t withdraw() override { return device_.withdraw(); }
  std::vector<Trial> playoff(const Problem& problem, std::vector<Config> finalists, Rounds rounds,
                             const PlayoffWatch& go_on) override {
    return device_.playoff(problem, std::move(finalists), rounds, go_on);
  }

  std::vector<double> leaders_us;

 private:
  Device& device_;
};

TEST_F(Tune, a_submitted_candidate_gets_the_best_of_all_earlier_results) {
  ReplayDevice device({}, recorded_line(20, valley), 1);
  LeaderNotes notes(device);
  (void)tune_on(notes, {.limits = {.trials = 4}});
  ASSERT_EQ(notes.leaders_us.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) {
    const Config before{{"x", static_cast<std::int64_t>(i)}};
    EXPECT_EQ(notes.leaders_us[i], valley(before).timing.median_us);
  }
}

TEST_F(Tune, a_candidate_that_was_dropped_close_to_the_best_enters_the_playoff) {
  const auto near = [](Config config) {
    const auto x = config.find("x")->integer();
    Trial trial = timed_trial(std::move(config), x == 1 ? 100 : x == 2 ? 101.5 : 150);
    if (x == 2) trial.samples_us = Samples(20, 99.0);
    return trial;
  };
  EXPECT_EQ(tune_line(near, {}).best->config, (Config{{"x", 2}}));
}

TEST_F(Tune, a_playoff_ends_once_it_is_decided) {
  const TuneOutcome decided = tune_line(valley, {.timing = {.rounds = {.count = 15}}});
  ASSERT_FALSE(decided.playoff.empty());
  EXPECT_EQ(decided.playoff.front().samples_us.size(), 5u);

  TuneTask other_objective;
  other_objective.timing = {.cutoff = TimingPolicy::Cutoff::none, .rounds = {.count = 15}};
  EXPECT_EQ(tune_line(valley, other_objective).playoff.front().samples_us.size(), 15u);
}

// The median of the first trial is too good. The samples that are taken in turns with the others are right.
Trial flattered(Config config) {
  std::int64_t x = config.find("x")->integer();
  Trial trial = timed_trial(std::move(config), static_cast<double>(10 + x));
  if (x == 1) trial.samples_us = Samples(20, 20.0);
  return trial;
}

TEST_F(Tune, the_playoff_decides_the_winner) {
  constexpr auto kNone = TimingPolicy::Cutoff::none;  // all that are slower than the first one stay
  EXPECT_EQ(tune_line(flattered, {.timing = {.cutoff = kNone}}).best->config, (Config{{"x", 2}}));
  EXPECT_EQ(tune_line(flattered, {.timing = {.cutoff = kNone, .finalists = 0}}).best->config,
            (Config{{"x", 1}}));
}

TEST_F(Tune, the_playoff_lists_its_finalists_by_their_times_in_it) {
  TuneOutcome outcome = tune_line(
      flattered, {.timing = {.cutoff = TimingPolicy::Cutoff::none}, .default_config = Config{{"x", 18}}});
  std::vector<std::int64_t> order;
  for (const Trial& trial : outcome.playoff) order.push_back(trial.config.find("x")->integer());
  EXPECT_EQ(order, (std::vector<std::int64_t>{2, 3, 4, 5, 1, 11, 18}));  // 11: the median
  EXPECT_EQ(outcome.playoff[4].timing.median_us, 20);
  EXPECT_EQ(outcome.best->timing.median_us, 12);
}

TEST_F(Tune, a_far_slower_default_does_not_enter_the_playoff) {
  TuneOutcome outcome = tune_line(valley, {.default_config = Config{{"x", 20}}});
  EXPECT_EQ(std::ranges::count(outcome.playoff, Config{{"x", 20}}, &Trial::config), 0);
}

TEST_F(Tune, a_stop_during_the_playoff_drops_it) {
  bool in_playoff = false;
  ReplayDevice device({}, recorded_line(20, valley), 4);
  const auto note = [&](const PlayoffProgress& progress) { in_playoff = progress.rounds_done >= 3; };
  TuneOutcome outcome = tune_on(device, {}, {.on_playoff = note, .stop = [&] { return in_playoff; }});
  EXPECT_EQ(outcome.end, End::stopped);
  EXPECT_TRUE(outcome.playoff.empty());
  EXPECT_EQ(outcome.best->config, (Config{{"x", 7}}));
}

TEST_F(Tune, the_playoff_reports_its_rounds) {
  std::vector<int> done;
  ReplayDevice device({}, recorded_line(20, valley), 4);
  tune_on(device, {.timing = {.finalists = 2, .rounds = {.count = 3}}},
          {.on_playoff = [&](const PlayoffProgress& progress) {
            EXPECT_EQ(progress.rounds, 3);
            done.push_back(progress.rounds_done);
          }});
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2, 3}));
}

// A device whose playoff takes a tenth of a second for each round.
class SlowPlayoff final : public ReplayDevice {
 public:
  using ReplayDevice::ReplayDevice;
  std::vector<Trial> playoff(const Problem& problem, std::vector<Config> finalists, Rounds rounds,
                             const PlayoffWatch& go_on) override {
    return ReplayDevice::playoff(problem, std::move(finalists), rounds, [&](const auto& so_far) {
      if (rounds_of(so_far) > 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return go_on(so_far);
    });
  }
};

TEST_F(Tune, the_time_limit_includes_the_playoff) {
  SlowPlayoff device({}, recorded_line(20, valley), 4);
  TuneOutcome outcome =
      tune_on(device, {.limits = {.seconds = 0.5},
                       .timing = {.cutoff = TimingPolicy::Cutoff::none, .rounds = {.count = 20}}});
  ASSERT_FALSE(outcome.playoff.empty());
  EXPECT_LT(outcome.playoff.front().samples_us.size(), 10u);
  EXPECT_GE(outcome.playoff.front().samples_us.size(), 1u);
}

TEST_F(Tune, the_playoff_takes_no_longer_than_the_search_after_a_few_rounds) {
  SlowPlayoff device({}, recorded_line(20, valley), 4);
  const TuneOutcome outcome =
      tune_on(device, {.timing = {.cutoff = TimingPolicy::Cutoff::none, .rounds = {.count = 20}}});
  ASSERT_FALSE(outcome.playoff.empty());
  EXPECT_LT(outcome.playoff.front().samples_us.size(), 20u);
  EXPECT_GE(outcome.playoff.front().samples_us.size(), 10u);
}

TEST_F(Tune, the_search_leaves_time_for_the_playoff) {
  const auto slow = [](Config config) {
    Trial trial = valley(std::move(config));
    trial.run_s = 1000;  // its playoff takes long
    return trial;
  };
  SlowPlayoff device({}, recorded_line(20, slow), 4);
  const auto wait = [](const Trial&) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  TuneOutcome outcome = tune_on(device, {.limits = {.seconds = 0.5}}, {.on_trial = wait});
  EXPECT_EQ(outcome.end, End::seconds);
  EXPECT_FALSE(outcome.playoff.empty());
}

// The objective need not be the time: here the slowest configuration is the best.
TEST_F(Tune, the_playoff_is_decided_by_the_objective) {
  auto thirsty = [](Config config) {
    Trial trial = valley(std::move(config));
    trial.objective = -trial.timing.median_us;
    return trial;
  };
  TuneTask task{.evaluate = [](Trial& trial) {
    trial.objective = -trial.timing.median_us;
    return true;
  }};
  task.timing.cutoff = TimingPolicy::Cutoff::none;
  EXPECT_EQ(tune_line(thirsty, task).best->config, (Config{{"x", 20}}));
}

// Runs one candidate after the other. `timed` gives the trial of a configuration and its turn.
class ChangingDevice final : public Device {
 public:
  explicit ChangingDevice(std::function<Trial(Config, int)> timed) : timed_(std::move(timed)) {}
  const DeviceInfo& info() const override { return info_; }
  std::size_t capacity() const override { return 1; }
  void submit(Candidate candidate) override { trial_ = timed_(std::move(candidate.config), submitted_++); }
  Trial next() override { return trial_; }
  std::size_t withdraw() override { return 0; }
  std::vector<Trial> playoff(const Problem&, std::vector<Config> finalists, Rounds,
                             const PlayoffWatch&) override {
    return std::vector<Trial>(finalists.size());
  }
  int submitted() const { return submitted_; }

 private:
  std::function<Trial(Config, int)> timed_;
  DeviceInfo info_;
  Trial trial_;
  int submitted_ = 0;
};

using TuneDrift = Tune;

TEST_F(TuneDrift, a_reference_candidate_is_timed_again_at_regular_intervals) {
  ChangingDevice device([](Config config, int) { return valley(std::move(config)); });
  TuneOutcome outcome = tune_on(device, {.timing = {.drift_interval = 6}});
  EXPECT_EQ(outcome.measured, 20);
  EXPECT_EQ(seen_.size(), 20u);
  EXPECT_EQ(device.submitted(), 23);
  ASSERT_EQ(outcome.drift.times_us.size(), 4u);
  EXPECT_EQ(outcome.drift.least(), 0);
  EXPECT_EQ(outcome.drift.greatest(), 0);
}

TEST_F(TuneDrift, a_device_that_slows_down_shows_as_drift) {
  // Each trial takes longer by one per cent of the first.
  ChangingDevice device([](Config config, int turn) { return timed_trial(std::move(config), 100.0 + turn); });
  TuneOutcome outcome = tune_on(device, {.timing = {.drift_interval = 8}});
  // The reference is the middle one of the first eight, the fifth. It is timed again
  // as the ninth and the eighteenth.
  EXPECT_EQ(outcome.drift.config, (Config{{"x", 5}}));
  EXPECT_EQ(outcome.drift.times_us, (std::vector<double>{104, 108, 117}));
  EXPECT_DOUBLE_EQ(outcome.drift.greatest(), 117.0 / 104 - 1);
}

TEST_F(TuneDrift, a_trial_of_an_earlier_run_is_timed_again_first) {
  ChangingDevice device([](Config config, int) { return timed_trial(std::move(config), 120); });
  auto before = [](Config config) { return timed_trial(std::move(config), 100); };
  TuneOutcome outcome = tune_on(device, {.earlier = recorded_line(3, before), .limits = {.trials = 5}});
  EXPECT_EQ(outcome.drift.times_us, (std::vector<double>{100, 120}));
}

TEST_F(TuneDrift, a_run_with_nothing_to_measure_times_nothing_again) {
  ChangingDevice device([](Config config, int) { return valley(std::move(config)); });
  TuneOutcome outcome =
      tune_on(device, {.earlier = recorded_line(20, valley), .timing = {.drift_interval = 1}});
  EXPECT_EQ(device.submitted(), 0);
  EXPECT_FALSE(outcome.drift.is_known());
}

TEST_F(TuneDrift, a_reference_candidate_that_fails_the_second_time_cannot_win) {
  int times_first = 0;
  ChangingDevice device([&](Config config, int) {
    const double x = config.find("x")->number();
    if (x == 1 && ++times_first == 2) return failed_trial(std::move(config), Status::wrong_result);
    return timed_trial(std::move(config), x);
  });
  TuneOutcome outcome = tune_on(device, {.timing = {.finalists = 0, .drift_interval = 1}});
  EXPECT_EQ(outcome.best->config, (Config{{"x", 2}}));
  ASSERT_EQ(revoked_.size(), 1u);
  EXPECT_EQ(revoked_.front().config, (Config{{"x", 1}}));
  EXPECT_EQ(outcome.measured, 20);
  EXPECT_EQ(outcome.drift.config, (Config{{"x", 2}}));
}

// Fails in the playoff.
class FailingFinalist final : public ReplayDevice {
 public:
  FailingFinalist(Config config, Status status)
      : ReplayDevice({}, recorded_line(20, valley), 1), failed_(failed_trial(std::move(config), status)) {}
  std::vector<Trial> playoff(const Problem& problem, std::vector<Config> finalists, Rounds rounds,
                             const PlayoffWatch& go_on) override {
    std::vector<Trial> trials = ReplayDevice::playoff(problem, std::move(finalists), rounds, go_on);
    *std::ranges::find(trials, failed_.config, &Trial::config) = failed_;
    return trials;
  }

 private:
  Trial failed_;
};

TEST_F(Tune, a_finalist_that_fails_in_the_playoff_is_no_valid_configuration_unless_the_machine_fails) {
  FailingFinalist without_machine({{"x", 7}}, Status::machine_failed);
  tune_on(without_machine, {});
  EXPECT_TRUE(revoked_.empty());
  FailingFinalist device({{"x", 7}}, Status::wrong_result);
  const TuneOutcome outcome = tune_on(device, {});
  EXPECT_NE(outcome.best->config, (Config{{"x", 7}}));
  EXPECT_FALSE(outcome.playoff.empty());
  ASSERT_EQ(revoked_.size(), 1u);
  EXPECT_EQ(revoked_.front().config, (Config{{"x", 7}}));
  EXPECT_EQ(revoked_.front().status, Status::wrong_result);
}

TEST_F(TuneDrift, a_reference_candidate_that_cannot_be_run_again_keeps_its_result) {
  std::map<std::int64_t, int> times;
  ChangingDevice device([&](Config config, int) {
    const std::int64_t x = config.find("x")->integer();
    if (++times[x] > 1) {
      Trial trial = failed_trial(std::move(config), Status::crashed);
      trial.run_s = 0;
      return trial;
    }
    return timed_trial(std::move(config), static_cast<double>(x));
  });
  TuneOutcome outcome = tune_on(device, {.timing = {.finalists = 0, .drift_interval = 6}});
  EXPECT_EQ(outcome.best->config, (Config{{"x", 1}}));
  EXPECT_TRUE(revoked_.empty());
  EXPECT_EQ(outcome.measured, 20);
  EXPECT_EQ(outcome.drift.times_us.size(), 1u);
}

TEST_F(TuneDrift, is_not_measured_if_its_interval_is_zero) {
  ChangingDevice device([](Config config, int) { return valley(std::move(config)); });
  TuneOutcome outcome = tune_on(device, {.timing = {.drift_interval = 0}});
  EXPECT_EQ(device.submitted(), 20);
  EXPECT_FALSE(outcome.drift.is_known());
}

// Proposes one configuration, then fails.
class FailingSearcher : public Searcher {
 public:
  std::optional<Config> ask() override {
    if (asked_++ == 0) return Config{{"x", 3}};
    return std::nullopt;
  }
  void tell(const Trial&) override {}
  std::optional<std::string> failure() const override {
    return asked_ > 1 ? std::optional<std::string>("it lost its way") : std::nullopt;
  }

 private:
  int asked_ = 0;
};

TEST(TuneWithFailingSearcher, ends_the_run_with_its_reason_and_keeps_what_was_measured) {
  ReplayDevice device({}, recorded_line(50, valley), 8);
  FailingSearcher search;
  const TuneOutcome outcome = tune({}, search, device, {});
  EXPECT_EQ(outcome.measured, 1);
  EXPECT_TRUE(outcome.best.has_value());
  EXPECT_EQ(outcome.failure, "it lost its way");
  EXPECT_TRUE(outcome.was_cut_short());
}

TEST(TuneWithClock, the_time_limit_uses_the_given_clock) {
  Space space = line_space(50);
  ReplayDevice device({}, recorded_line(50, valley), 1);  // a hundredth of a second each
  const auto search = make_searcher("random", {.space = space}).value();
  TuneTask task;
  task.limits.seconds = 0.095;
  task.clock_s = [&device] { return device.clock_s(); };
  task.timing.finalists = 0;  // no time is left for a playoff
  const TuneOutcome outcome = tune(task, *search, device, {});
  EXPECT_EQ(outcome.end, TuneOutcome::End::seconds);
  EXPECT_EQ(outcome.measured, 10);
}

}  // namespace
}  // namespace gktune
