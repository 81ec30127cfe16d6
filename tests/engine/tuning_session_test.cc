#include "engine/tuning_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "db/database.h"
#include "tests/example_database.h"
#include "tests/scratch_folder.h"
#include "tuner/device/replay/replay_device.h"

namespace gktune {
namespace {

Trial recorded(int x, double time_us) {
  Trial trial = good_trial(0, time_us);
  trial.config = {{"x", x}};
  trial.samples_us = Samples(10, time_us);
  return trial;
}

// A kernel with the configurations x = 1, 2, …
Definition line_of(int configurations) {
  Definition definition;
  definition.path = "line.yaml";
  definition.kernel.name = "line";
  definition.fingerprint = "f1";
  Parameter x{.name = "x"};
  for (int value = 1; value <= configurations; ++value) x.values.emplace_back(value);
  definition.parameters = {x};
  return definition;
}

// Ten configurations whose times were recorded: the larger x, the faster. x = 4 gives a wrong result.
class OneTuning : public ::testing::Test {
 protected:
  static std::vector<Trial> trials(int count) {
    std::vector<Trial> all;
    for (int x = 1; x <= count; ++x) all.push_back(recorded(x, 100 - x));
    return all;
  }

  static ReplayDevice replay_of(std::vector<Trial> trials, std::size_t in_flight = 1) {
    return ReplayDevice({.kind = "replay", .name = "recorded"}, std::move(trials), in_flight);
  }

  static ReplayDevice device() {
    std::vector<Trial> ten = trials(10);
    ten[3] = bad_trial(0, Status::wrong_result, "off by one");
    ten[3].config = {{"x", 4}};
    return replay_of(std::move(ten), 2);
  }

  TuneRequest request() const { return {.definition = definition_, .problem = {}, .strategy = "exhaustive"}; }
  TuneRequest fresh_request() const {
    TuneRequest fresh = request();
    fresh.earlier = TuneRequest::Earlier::ignored;
    return fresh;
  }

  Result<Tuning, EngineError> tune(const TuneRequest& request) {
    ReplayDevice replay = device();
    return tune_on(replay, request);
  }
  Result<Tuning, EngineError> tune_on(Device& device, const TuneRequest& request) {
    return tune_problem(request,
                        {device,
                         store_,
                         session_,
                         {.on_progress = [this](const TuneProgress& progress) { seen_.push_back(progress); },
                          .stop = stop_,
                          .on_search = [this](const std::string& search) { search_ = search; }}});
  }

  std::unique_ptr<Database> in_memory_ = *Database::in_memory();
  Database& store_ = *in_memory_;
  std::int64_t session_ = store_.begin_session({}).value();
  std::function<bool()> stop_;
  std::vector<TuneProgress> seen_;
  std::string search_;
  Definition definition_ = line_of(10);
};

TEST_F(OneTuning, begins_stops_resumes_and_holds_a_playoff) {
  // A stop ends the first run: its trials are stored.
  stop_ = [this] { return store_.trials(1)->size() >= 4; };
  auto begun = tune(request());
  EXPECT_EQ(begun->outcome.end, TuneOutcome::End::stopped);
  EXPECT_EQ(begun->outcome.measured, 4);
  EXPECT_EQ(begun->valid, Count(10));
  EXPECT_EQ(seen_.back().total, 10);
  EXPECT_EQ(store_.trials(1)->size(), 4u);

  // The second run resumes them and is stopped between the last trial and the playoff.
  stop_ = [this] { return store_.trials(1)->size() == 10; };
  auto stopped = tune(request());
  EXPECT_EQ(stopped->earlier, 4);
  EXPECT_EQ(stopped->outcome.end, TuneOutcome::End::stopped);
  EXPECT_EQ(stopped->outcome.measured, 6);
  EXPECT_TRUE(stopped->outcome.playoff.empty());
  EXPECT_EQ(seen_.back().done, 10);
  EXPECT_EQ(seen_.back().done_before, 4);
  EXPECT_EQ(seen_.back().failures, (Failures{{Status::wrong_result, 1}}));

  // The third run measures nothing, holds the playoff and stores the finalists, best first.
  stop_ = {};
  auto decided = tune(request());
  EXPECT_EQ(decided->outcome.measured, 0);
  const auto held = *store_.playoff(1);
  ASSERT_TRUE(held.has_value());
  ASSERT_GE(held->finalists.size(), 2u);
  for (const Trial& finalist : held->finalists) {
    EXPECT_FALSE(finalist.samples_us.empty());
    EXPECT_EQ(finalist.objective, finalist.timing.median_us);
    EXPECT_LE(held->finalists.front().objective, finalist.objective);
  }
  const auto best = store_.winners("line");
  ASSERT_EQ(best->size(), 1u);
  EXPECT_EQ(best->front().trial.config, (Config{{"x", 10}}));
  EXPECT_TRUE(best->front().from_playoff);
  EXPECT_EQ(best->front().failed, 1);

  // The fourth run holds no other playoff.
  auto again = tune(request());
  EXPECT_EQ(again->outcome.best->config, (Config{{"x", 10}}));
  EXPECT_EQ((*store_.playoff(1))->held_unix_ms, held->held_unix_ms);
}

TEST_F(OneTuning, a_second_run_reports_the_winner_of_the_earlier_playoff) {
  ASSERT_TRUE(tune(request()).ok());
  auto held = *store_.playoff(1);
  ASSERT_TRUE(held.has_value());
  ++held->held_unix_ms;
  std::swap(held->finalists[0], held->finalists[1]);
  held->finalists[0].samples_us = {7.5, 8.5, 9.5};
  ASSERT_TRUE(store_.add_playoff(1, session_, *held).ok());
  auto again = tune(request());
  EXPECT_EQ(again->outcome.best->config, (Config{{"x", 9}}));
  EXPECT_EQ(again->outcome.playoff.front().samples_us, (Samples{7.5, 8.5, 9.5}));
  EXPECT_EQ(store_.winners("line")->front().trial.samples_us, (Samples{7.5, 8.5, 9.5}));
}

TEST_F(OneTuning, begins_with_trials_of_another_problem_unless_they_are_ignored) {
  auto other = store_.study_id(
      {"line", "an earlier version", identity_of(device().info()), {{"n", 7}}, Regime::cold, "time"});
  for (int x = 1; x <= 6; ++x) ASSERT_TRUE(store_.add_trial(*other, session_, recorded(x, 100 - x)).ok());
  TuneRequest modelled = request();
  modelled.strategy = "bayes";
  ASSERT_TRUE(tune(modelled).ok());
  EXPECT_EQ(search_,
            "a Gaussian process predicts time, cost and failure; it begins with 6 trials of related studies");
  modelled.related = TuneRequest::Related::ignored;
  ASSERT_TRUE(tune(modelled).ok());
  EXPECT_EQ(search_, "a Gaussian process predicts time, cost and failure");
}

TEST_F(OneTuning, a_budget_counts_the_seconds_of_earlier_runs) {
  TuneRequest four = request();
  four.limits.trials = 4;
  ASSERT_TRUE(tune(four).ok());  // three of 0.75 s and a failure
  TuneRequest spent = request();
  spent.limits.seconds = 2;
  auto nothing = tune(spent);
  EXPECT_EQ(nothing->outcome.measured, 0);
  EXPECT_EQ(nothing->outcome.end, TuneOutcome::End::seconds);
  EXPECT_TRUE(nothing->outcome.best.has_value());
  spent.limits.seconds = 100;
  EXPECT_EQ(tune(spent)->outcome.measured, 6);
}

TEST_F(OneTuning, a_budget_counts_the_seconds_of_parallel_work_once) {
  TuneRequest four = request();
  four.limits.trials = 4;
  ASSERT_TRUE(tune(four).ok());
  TuneRequest many = request();
  many.limits.seconds = 2;
  many.compilers = many.devices = 16;
  EXPECT_EQ(tune(many)->outcome.measured, 6);
}

TEST_F(OneTuning, a_search_of_some_values_keeps_a_better_stored_winner) {
  definition_.parameters[0].values = {6, 7, 8, 9, 10};
  ASSERT_TRUE(tune(request()).ok());
  definition_.parameters[0].values = {1, 2, 3, 4, 5};
  auto some = tune(request());
  EXPECT_EQ(some->outcome.measured, 5);
  EXPECT_EQ(some->outcome.best->config, (Config{{"x", 5}}));
  EXPECT_EQ(store_.winners("line")->front().trial.config, (Config{{"x", 10}}));
  EXPECT_EQ(tune(fresh_request())->outcome.measured, 5);
  EXPECT_EQ(store_.winners("line")->front().trial.config, (Config{{"x", 10}}));
}

TEST_F(OneTuning, a_resumed_run_has_its_parameters_in_the_order_of_the_file) {
  definition_ = line_of(1);
  definition_.parameters.push_back({.name = "a", .values = {1}});  // x, a
  Trial trial = recorded(1, 99);
  trial.config.set("a", 1);
  ReplayDevice replay = replay_of({trial});
  ASSERT_TRUE(tune_on(replay, request()).ok());
  auto again = tune_on(replay, request());
  EXPECT_EQ(again->trials.front().config.name(0), "x");
}

// The best configurations by this metric are far slower than the others.
TEST_F(OneTuning, slow_candidates_are_not_dropped_if_time_is_not_the_objective) {
  definition_.kernel.metrics = {{"J", *Expression::parse("x")}};
  definition_.kernel.objective = {"J", false};
  std::vector<Trial> ten = trials(10);
  for (int x = 1; x <= 10; ++x) {
    Trial& trial = ten[static_cast<std::size_t>(x - 1)];
    trial.timing.median_us = 1000 - 99 * x;
    trial.objective = x;
  }
  std::swap(ten.front(), ten.back());
  ReplayDevice replay = replay_of(std::move(ten));
  auto tuning = tune_on(replay, request());
  for (const Trial& trial : tuning->trials) EXPECT_FALSE(trial.is_dropped_early);
  EXPECT_EQ(tuning->outcome.best->config, (Config{{"x", 1}}));
}

// A device that gives a wrong result for each configuration that it runs a second time.
class FickleDevice final : public ReplayDevice {
 public:
  explicit FickleDevice(ReplayDevice recorded) : ReplayDevice(std::move(recorded)) {}
  Trial next() override {
    Trial trial = ReplayDevice::next();
    if (!met_.insert(trial.config.json()).second) trial.status = Status::wrong_result;
    return trial;
  }

 private:
  std::set<std::string> met_;
};

TEST_F(OneTuning, a_later_failure_of_a_successful_configuration_is_stored) {
  definition_ = line_of(21);
  FickleDevice fickle(replay_of(trials(21)));
  auto tuning = tune_on(fickle, request());
  EXPECT_EQ(tuning->outcome.measured, 21);
  EXPECT_EQ(std::ranges::count(tuning->trials, Status::wrong_result, &Trial::status), 1);
  auto stored = store_.trials(1);
  EXPECT_EQ(stored->size(), 21u);
  EXPECT_EQ(std::ranges::count(*stored, Status::wrong_result, &Trial::status), 1);
}

// The first of 21 is the only one that succeeds, and it fails when it is timed again after twenty.
TEST_F(OneTuning, progress_has_no_best_after_the_only_good_trial_fails) {
  definition_ = line_of(21);
  std::vector<Trial> all = trials(21);
  for (int x = 2; x <= 21; ++x) {
    Trial& trial = all[static_cast<std::size_t>(x - 1)];
    trial = bad_trial(0, Status::wrong_result, "off by one");
    trial.config = {{"x", x}};
  }
  FickleDevice fickle(replay_of(std::move(all)));
  ASSERT_TRUE(tune_on(fickle, request()).ok());
  ASSERT_GE(seen_.size(), 21u);
  ASSERT_TRUE(seen_.front().best.has_value());
  EXPECT_EQ(seen_.front().best->timing.median_us, 99);
  EXPECT_EQ(seen_.back().done, 21);
  EXPECT_FALSE(seen_.back().best.has_value());
}

TEST_F(OneTuning, a_fresh_run_measures_everything_again) {
  ASSERT_TRUE(tune(request()).ok());
  auto again = tune(fresh_request());
  EXPECT_EQ(again->outcome.measured, 10);
  EXPECT_EQ(again->earlier, 0);
}

TEST_F(OneTuning, configurations_that_the_file_no_longer_lists_are_left_out) {
  ASSERT_TRUE(tune(request()).ok());
  definition_ = line_of(5);
  auto narrow = tune(request());
  EXPECT_EQ(narrow->earlier, 5);
  EXPECT_EQ(narrow->outcome.best->config, (Config{{"x", 5}}));
  EXPECT_EQ(store_.trials(1)->size(), 10u);
}

TEST_F(OneTuning, a_changed_source_is_measured_again) {
  ASSERT_TRUE(tune(request()).ok());
  definition_.fingerprint = "f2";
  EXPECT_EQ(tune(request())->outcome.measured, 10);
}

TEST_F(OneTuning, a_configuration_that_was_not_judged_is_tried_by_the_next_run) {
  std::vector<Trial> ten = trials(10);
  for (const std::size_t x : {2, 10}) {
    ten[x - 1].status = Status::machine_failed;
    ten[x - 1].message = "no space";
  }
  ReplayDevice partly = replay_of(std::move(ten));
  const auto first = tune_on(partly, request());
  EXPECT_EQ(first->outcome.failure, std::nullopt);
  EXPECT_EQ(first->outcome.unjudged, 2);
  EXPECT_EQ(store_.trials(1)->size(), 8u);
  EXPECT_EQ(first->outcome.best->config, (Config{{"x", 9}}));
  const auto next = tune(request());
  EXPECT_EQ(next->outcome.measured, 2);
  EXPECT_EQ(next->outcome.best->config, (Config{{"x", 10}}));
}

TEST_F(OneTuning, an_error_says_whose_constraints_emptied_a_space) {
  definition_.constraints = {{Expression::parse("x > 10").value()}};
  auto empty = tune(request());
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().kind, EngineError::Kind::no_configuration);
  EXPECT_EQ(empty.error().message, "line.yaml: no configuration is valid: 'x > 10' leaves none");
}

TEST_F(OneTuning, an_error_shows_the_constraint_that_fails) {
  definition_.constraints = {{Expression::parse("10 // (x - 1) > 1").value()}};
  auto broken = tune(request());
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().kind, EngineError::Kind::invalid);
  EXPECT_NE(broken.error().message.find("\n  10 // (x - 1) > 1\n  "), std::string::npos)
      << broken.error().message;
}

TEST_F(OneTuning, an_unknown_strategy_is_a_usage_error) {
  TuneRequest misspelt = request();
  misspelt.strategy = "exhasutive";
  EXPECT_EQ(tune(misspelt).error().kind, EngineError::Kind::invalid);
}

// Takes a while for each trial and counts playoffs.
class SlowDevice final : public ReplayDevice {
 public:
  explicit SlowDevice(ReplayDevice recorded) : ReplayDevice(std::move(recorded)) {}
  Trial next() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return ReplayDevice::next();
  }
  std::vector<Trial> playoff(const Problem& problem, std::vector<Config> finalists, Rounds rounds,
                             const PlayoffWatch& go_on) override {
    ++playoffs_;
    return ReplayDevice::playoff(problem, std::move(finalists), rounds, go_on);
  }
  int playoffs() const { return playoffs_; }

 private:
  int playoffs_ = 0;
};

// Programs that tune one study of 120 configurations in one database at once.
class SharedTuning : public ::testing::Test {
 protected:
  static ReplayDevice device() {
    std::vector<Trial> trials;
    for (int x = 1; x <= kConfigurations; ++x) {
      trials.push_back(recorded(x, 1000 - x));
      trials.back().run_s = 0;
    }
    return ReplayDevice({.kind = "replay", .name = "recorded"}, std::move(trials), 2);
  }

  struct Part {
    std::optional<Tuning> tuning;
    std::string error;
    int playoffs = 0;
  };

  Part tune_in(Database& store, const std::string& strategy, std::uint64_t seed) {
    SlowDevice slow(device());
    auto tuning = tune_problem({.definition = definition_, .problem = {}, .strategy = strategy, .seed = seed},
                               {slow, store, store.begin_session({}).value(), {}});
    Part part{.tuning = {}, .error = {}, .playoffs = slow.playoffs()};
    tuning ? void(part.tuning = *std::move(tuning)) : void(part.error = tuning.error().message);
    return part;
  }

  std::vector<Part> tune_at_once(const std::vector<Database*>& stores, const std::string& strategy) {
    std::vector<Part> parts(stores.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < stores.size(); ++i)
      threads.emplace_back([&, i] { parts[i] = tune_in(*stores[i], strategy, i); });
    for (std::thread& thread : threads) thread.join();
    return parts;
  }

  static constexpr int kConfigurations = 120;
  ScratchFolder folder_;
  std::unique_ptr<Database> in_memory_ = *Database::in_memory();
  Database& store_ = *in_memory_;
  Definition definition_ = line_of(kConfigurations);
};

void expect_shared(const std::vector<Tuning>& tunings, Database& store, int configurations) {
  std::int64_t measured = 0;
  for (const Tuning& tuning : tunings) {
    measured += tuning.outcome.measured;
    EXPECT_GT(tuning.outcome.measured, 0);
    EXPECT_EQ(std::ssize(tuning.trials), configurations);
    EXPECT_EQ(tuning.outcome.measured + tuning.outcome.learned + tuning.earlier, configurations);
    ASSERT_TRUE(tuning.outcome.best.has_value());
    EXPECT_EQ(tuning.outcome.best->config, (Config{{"x", configurations}}));
    EXPECT_FALSE(tuning.outcome.playoff.empty());
  }
  EXPECT_EQ(measured, configurations);
  EXPECT_EQ(std::ssize(*store.trials(1)), configurations);
  const std::optional<StudiedTrial> one_more = *store.trial(configurations + 1);
  EXPECT_FALSE(one_more.has_value()) << "measured twice: " << one_more->trial.config.str();
}

TEST_F(SharedTuning, measures_each_configuration_once_and_holds_one_playoff) {
  for (const char* strategy : {"exhaustive", "random", "genetic"}) {
    const auto path = folder_ / (std::string(strategy) + ".db");
    auto first = Database::open(path, Database::Access::write),
         second = Database::open(path, Database::Access::write);
    ASSERT_TRUE(first.ok() && second.ok());
    const std::vector<Part> parts = tune_at_once({first->get(), second->get()}, strategy);
    ASSERT_TRUE(parts[0].tuning && parts[1].tuning) << parts[0].error << parts[1].error;
    expect_shared({*parts[0].tuning, *parts[1].tuning}, **first, kConfigurations);
    EXPECT_EQ(parts[0].playoffs + parts[1].playoffs, 1) << strategy;
  }
}

TEST_F(SharedTuning, takes_over_the_claims_of_a_dead_program) {
  const Study study{"line", "f1", identity_of(device().info()), {}, Regime::cold, "time"};
  const auto id = *store_.study_id(study);
  const auto dead = *store_.begin_session({});
  for (int x = 1; x <= 50; ++x)
    ASSERT_TRUE(*store_.claim(id, dead, Config{{"x", x}}, std::chrono::milliseconds(300)));
  ASSERT_TRUE(*store_.claim(id, dead, std::nullopt, std::chrono::milliseconds(300)));
  const Part part = tune_in(store_, "exhaustive", 1);
  ASSERT_TRUE(part.tuning.has_value()) << part.error;
  expect_shared({*part.tuning}, store_, kConfigurations);
}

TEST_F(SharedTuning, leaves_no_claims) {
  ASSERT_TRUE(tune_in(store_, "exhaustive", 1).tuning.has_value());
  EXPECT_TRUE(*store_.claim(1, *store_.begin_session({}), std::nullopt, std::chrono::minutes(1)));
}

// Each of the two measures about a half of what the budget allows: trials of 0.1 s by a clock of these.
TEST_F(SharedTuning, the_seconds_of_all_programs_count_towards_the_budget) {
  std::vector<Trial> trials;
  for (int x = 1; x <= kConfigurations; ++x) {
    trials.push_back(recorded(x, 1000 - x));
    trials.back().run_s = 0.1;
    trials.back().compile_s = 0;
  }
  std::vector<Tuning> tunings(2);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < tunings.size(); ++i) {
    threads.emplace_back([&, i] {
      SlowDevice slow(ReplayDevice({.kind = "replay", .name = "recorded"}, trials, 1));
      const TuneRequest request{.definition = definition_,
                                .problem = {},
                                .strategy = "random",
                                .seed = i,
                                .limits = {.seconds = 6}};
      const TuneSite site{slow, store_, *store_.begin_session({}), {}, [&slow] { return slow.clock_s(); }};
      tunings[i] = *tune_problem(request, site);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Tuning& tuning : tunings) {
    EXPECT_EQ(tuning.outcome.end, TuneOutcome::End::seconds);
    EXPECT_GT(tuning.spent_s, 4) << "without what the playoff may take";
    EXPECT_LT(tuning.spent_s, 6.5);
    EXPECT_LT(tuning.outcome.measured, 50);
  }
}

TEST_F(SharedTuning, holds_the_playoff_after_what_others_measure_has_ended) {
  const auto id = *store_.study_id({"line", "f1", identity_of(device().info()), {}, Regime::cold, "time"});
  const auto other = *store_.begin_session({});
  ASSERT_TRUE(*store_.claim(id, other, Config{{"x", kConfigurations}}, std::chrono::hours(1)));
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_TRUE(store_.add_trial(id, other, recorded(kConfigurations, 1000 - kConfigurations)).ok());
  });
  ReplayDevice replay = device();
  const auto tuning = tune_problem(
      {.definition = definition_, .problem = {}, .strategy = "exhaustive", .limits = {.trials = 5}},
      {replay, store_, *store_.begin_session({}), {}});
  late.join();
  ASSERT_TRUE(tuning.ok());
  ASSERT_FALSE(tuning->outcome.playoff.empty());
  EXPECT_EQ(tuning->outcome.playoff.front().config, (Config{{"x", kConfigurations}}));
}

// Two hosts, of which the second takes a quarter longer for everything.
class TwoHosts : public SharedTuning {
 protected:
  static Result<Tuning, EngineError> tune_on(const std::string& host_name, double factor, Database& store,
                                             const TuneRequest& request) {
    std::vector<Trial> trials;
    for (int x = 1; x <= kConfigurations; ++x) {
      trials.push_back(recorded(x, (1000 - x) * factor));
      trials.back().run_s = 0;
    }
    SlowDevice slow(ReplayDevice({.kind = "replay", .name = "recorded"}, std::move(trials), 1));
    const auto session =
        *store.begin_session({.tool_version = "", .host_name = host_name, .command_line = "", .device = {}});
    return tune_problem(request, {slow, store, session, {}, wall_clock_s, host_name});
  }
  TuneRequest request(std::int64_t trials, std::uint64_t seed) const {
    return {.definition = definition_,
            .problem = {},
            .strategy = "random",
            .seed = seed,
            .limits = {.trials = trials}};
  }
  static std::set<std::int64_t> finalists_of(const Tuning& tuning) {
    std::set<std::int64_t> finalists;
    for (const Trial& each : tuning.outcome.playoff) finalists.insert(each.config.find("x")->integer());
    return finalists;
  }
  std::int64_t trials_stored() const {
    return store_.query("SELECT count(*) FROM trials")->rows[0][0]->integer();
  }
};

void expect_slower(const HostTimes& hosts, double slower) {
  ASSERT_EQ(hosts.differences().size(), 1u);
  const bool is_first = hosts.first_host() == "a";
  EXPECT_NEAR(hosts.differences()[0].slower, is_first ? slower : 1 / (1 + slower) - 1, 1e-9);
}

TEST_F(TwoHosts, time_the_reference_and_choose_finalists_by_relative_times) {
  std::optional<Tuning> first, second;
  std::thread a([&] { first = *tune_on("a", 1, store_, request(0, 1)); });
  std::thread b([&] { second = *tune_on("b", 1.25, store_, request(0, 2)); });
  a.join(), b.join();
  EXPECT_EQ(trials_stored(), kConfigurations + 1) << "the reference was measured on both";
  expect_slower(first->hosts, 0.25);
  expect_slower(second->hosts, 0.25);
  for (const Tuning& tuning : {*first, *second}) {
    ASSERT_FALSE(tuning.outcome.playoff.empty());
    const auto finalists = finalists_of(tuning);
    for (int x = kConfigurations - 4; x <= kConfigurations; ++x) EXPECT_TRUE(finalists.contains(x)) << x;
  }
}

TEST_F(TwoHosts, confirm_the_playoff) {
  std::optional<Tuning> first, second;
  std::thread a([&] { first = *tune_on("a", 1, store_, request(0, 1)); });
  std::thread b([&] { second = *tune_on("b", 1.25, store_, request(0, 2)); });
  a.join(), b.join();
  EXPECT_EQ(store_.query("SELECT count(*) FROM playoffs")->rows[0][0], Value(2));
  const Playoff decided = **store_.playoff(1);
  ASSERT_TRUE(decided.other.has_value());
  EXPECT_NE(decided.other->host_name, decided.host_name);
  EXPECT_EQ(decided.other->winner, (Config{{"x", kConfigurations}}));
  EXPECT_EQ(decided.finalists.front().config, (Config{{"x", kConfigurations}}));
  const Tuning& later = decided.host_name == "a" ? *first : *second;
  ASSERT_TRUE(later.decided_by && later.decided_by->other);
}

TEST_F(TwoHosts, a_host_that_comes_later_times_the_reference_first) {
  ASSERT_TRUE(tune_on("a", 1, store_, request(20, 1)).ok());
  const auto second = tune_on("b", 1.25, store_, request(40, 2));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->trials.size(), 40u);
  EXPECT_EQ(trials_stored(), 41);
  expect_slower(second->hosts, 0.25);
  EXPECT_EQ(store_.reference_trials(1)->back().host_name, "b");
}

TEST_F(TwoHosts, a_host_with_nothing_to_do_times_nothing) {
  ASSERT_TRUE(tune_on("a", 1, store_, request(20, 1)).ok());
  const auto second = tune_on("b", 1.25, store_, request(20, 2));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(trials_stored(), 20);
  EXPECT_TRUE(second->hosts.differences().empty());
  EXPECT_FALSE(second->outcome.playoff.empty()) << "that of the first host";
}

TEST_F(TwoHosts, the_same_host_times_the_reference_once) {
  for (const std::int64_t trials : {20, 30, 40})
    ASSERT_TRUE(tune_on("a", 1, store_, request(trials, 1)).ok());
  EXPECT_EQ(trials_stored(), 40);
}

TEST_F(SharedTuning, does_not_wait_for_others_after_a_stop) {
  const auto id = *store_.study_id({"line", "f1", identity_of(device().info()), {}, Regime::cold, "time"});
  const auto other = *store_.begin_session({});
  for (int x = 1; x <= kConfigurations; ++x)
    ASSERT_TRUE(*store_.claim(id, other, Config{{"x", x}}, std::chrono::hours(1)));
  ReplayDevice replay = device();
  int asked = 0;
  const auto tuning =
      tune_problem({.definition = definition_, .problem = {}, .strategy = "exhaustive"},
                   {replay, store_, *store_.begin_session({}), {.stop = [&] { return ++asked > 20; }}});
  EXPECT_EQ(tuning->outcome.end, TuneOutcome::End::stopped);
  EXPECT_EQ(tuning->outcome.measured, 0);
}

}  // namespace
}  // namespace gktune
