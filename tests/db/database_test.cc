
#include "db/database.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/db/example_study.h"
#include "tests/db/postgres_server.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tuner/core/fields_json.h"

namespace gktune {
namespace {

// The contract that every store keeps.
class DatabaseTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Database> make() const {
    const std::string store = GetParam();
    if (store == "memory") return *Database::in_memory();
    return *Database::open(
        store == "file" ? scratch_.path("gktune.db") : PostgresServer::shared().new_database(),
        Database::Access::write);
  }

  void add(const Trial& trial) { ASSERT_TRUE(store_->add_trial(study_, session_, trial).ok()); }

  // The finalists of a playoff, each measured again with these samples, best first.
  static Playoff playoff_of(std::vector<std::pair<Trial, Samples>> finalists, std::int64_t held_ms = 2000) {
    Playoff playoff{.finalists = {}, .held_unix_ms = held_ms};
    for (auto& [trial, samples] : finalists) {
      trial.samples_us = samples;
      trial.timing.median_us = trial.objective = samples.front();
      trial.metrics = {{"GB/s", 1000 / samples.front()}};
      playoff.finalists.push_back(trial);
    }
    return playoff;
  }
  void hold(const Playoff& playoff) { ASSERT_TRUE(store_->add_playoff(study_, session_, playoff).ok()); }
  Winner best() const {
    auto all = store_->winners("reduce");
    EXPECT_TRUE(all.ok() && all->size() == 1);
    return all->at(0);
  }
  Value winning_a() const { return *best().trial.config.find("a"); }

  ScratchFolder scratch_;
  std::unique_ptr<Database> store_ = make();
  std::int64_t session_ = *store_->begin_session({"0.1.0", "box", "gktune run x.yaml", example_device()});
  std::int64_t study_ = *store_->study_id(reduce_study());
};

std::vector<const char*> stores() {
  if (PostgresServer::is_installed()) return {"file", "memory", "postgres"};
  return {"file", "memory"};
}

INSTANTIATE_TEST_SUITE_P(Stores, DatabaseTest, ::testing::ValuesIn(stores()),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(DatabaseTest, a_trial_is_read_back_unchanged) {
  Trial trial =
      ok_trial({{"threadsPerBlock", 256}, {"fast", true}, {"share", 0.1}, {"way", "one \"pass\"\n"}}, 12.5);
  trial.problem = reduce_study().problem;
  trial.is_dropped_early = true;
  trial.resources = {42, 16, 1024, 2048, 0.75, {100, 2, 3}, {256, 4, 1}};
  trial.conditions = {1980, 54.5, 612.25, 0.003, true};
  trial.metrics = {{"GB/s", 4613.25}, {"launches", 2}};
  trial.compile_s = 0.035;
  trial.run_s = 0.25;
  trial.started_unix_ms = 1700000000123;
  trial.ended_unix_ms = 1700000000456;
  ASSERT_TRUE(store_->add_trial(study_, session_, trial).ok());

  const auto trials = store_->trials(study_);
  ASSERT_EQ(trials->size(), 1u);
  EXPECT_EQ(written<nlohmann::json>(trials->front()), written<nlohmann::json>(trial));
  EXPECT_EQ(trials->front().problem, trial.problem);
  EXPECT_EQ(trials->front().regime, Regime::cold);
}

TEST_P(DatabaseTest, a_failure_is_read_back_with_its_message_and_unknown_values) {
  const int last = static_cast<int>(kLastStatus);
  for (int i = 0; i <= last; ++i) {
    auto status = static_cast<Status>(i);
    if (status == Status::ok) continue;
    ASSERT_TRUE(store_->add_trial(study_, session_, failed_trial({{"i", i}}, status)).ok());
  }
  auto trials = store_->trials(study_);
  ASSERT_EQ(std::ssize(*trials), last);
  for (const Trial& trial : *trials) {
    EXPECT_EQ(static_cast<std::int64_t>(trial.status), trial.config.find("i")->integer());
    EXPECT_EQ(trial.message, "it did not go well");
    EXPECT_TRUE(trial.samples_us.empty());
    EXPECT_EQ(trial.timing.median_us, 0);
    EXPECT_EQ(trial.objective, 0);
    EXPECT_EQ(trial.resources.registers, -1);
    EXPECT_EQ(trial.resources.occupancy, -1);
    EXPECT_EQ(trial.conditions.clock_mhz, -1);
  }
}

TEST_P(DatabaseTest, trials_are_read_in_the_order_they_ended_and_repeated_ones_last) {
  for (int i : {3, 1, 2})
    ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", i}, {"b", 1}}, i)).ok());
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"b", 1}, {"a", 1}}, 9)).ok());
  auto trials = store_->trials(study_);
  ASSERT_EQ(trials->size(), 3u);
  EXPECT_EQ(trials->at(0).timing.median_us, 3);
  EXPECT_EQ(trials->at(1).timing.median_us, 2);
  EXPECT_EQ(trials->at(2).timing.median_us, 9);
}

TEST_P(DatabaseTest, configurations_whose_values_differ_only_in_kind_are_different) {
  for (Value value : {Value(1), Value(1.0), Value(true), Value("1")}) {
    ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", value}}, 1)).ok());
  }
  auto trials = store_->trials(study_);
  EXPECT_EQ(trials->size(), 4u);
}

TEST_P(DatabaseTest, the_order_of_axes_does_not_change_a_study) {
  Study other = reduce_study();
  other.problem = {{"T", "float"}, {"n", 1048576}};
  EXPECT_EQ(*store_->study_id(other), study_);
}

TEST_P(DatabaseTest, every_part_of_the_identity_of_a_study_makes_another) {
  std::vector<Study> others(9, reduce_study());
  others[0].kernel = "sum";
  others[1].fingerprint = "f2";
  others[2].device.kind = "replay";
  others[3].device.name = "NVIDIA H200 NVL";
  others[4].device.architecture = "sm_90a";
  others[5].device.multiprocessors = 66;
  others[6].problem.set("n", 1048577);
  others[7].regime = Regime::hot;
  others[8].objective = "maximize GB/s";
  std::set<std::int64_t> ids{study_};
  for (const auto& other : others) ids.insert(*store_->study_id(other));
  EXPECT_EQ(ids.size(), 10u);
  auto summaries = store_->studies();
  ASSERT_EQ(summaries->size(), 10u);
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Study& read = summaries->at(i + 1).study;
    EXPECT_EQ(read.kernel, others[i].kernel);
    EXPECT_EQ(read.fingerprint, others[i].fingerprint);
    EXPECT_EQ(read.device, others[i].device);
    EXPECT_EQ(read.problem, others[i].problem);
    EXPECT_EQ(read.regime, others[i].regime);
    EXPECT_EQ(read.objective, others[i].objective);
  }
}

TEST_P(DatabaseTest, a_trial_is_found_by_its_number_with_its_study) {
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"threadsPerBlock", 128}}, 20)).ok());
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"threadsPerBlock", 256}}, 10)).ok());
  const std::vector<Trial> trials = *store_->trials(study_);
  ASSERT_EQ(trials.size(), 2u);
  for (const Trial& trial : trials) {
    auto found = store_->trial(trial.id);
    ASSERT_TRUE(found->has_value());
    EXPECT_EQ((*found)->trial.id, trial.id);
    EXPECT_EQ((*found)->trial.config, trial.config);
    EXPECT_EQ((*found)->trial.problem, reduce_study().problem);
    EXPECT_EQ((*found)->study.kernel, reduce_study().kernel);
    EXPECT_EQ((*found)->study.device, reduce_study().device);
  }
  EXPECT_FALSE(store_->trial(99)->has_value());
}

TEST_P(DatabaseTest, a_study_does_not_return_trials_of_another) {
  auto other = *store_->study_id(reduce_study(7));
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", 1}}, 1)).ok());
  ASSERT_TRUE(store_->add_trial(other, session_, ok_trial({{"a", 1}}, 2)).ok());
  EXPECT_EQ(store_->trials(study_)->size(), 1u);
  EXPECT_EQ(store_->trials(other)->front().timing.median_us, 2);
  EXPECT_EQ(*store_->trials(other)->front().problem.find("n"), Value(7));
  EXPECT_FALSE(store_->trials(99).ok());
}

TEST_P(DatabaseTest, a_repeated_measurement_is_a_new_trial_and_the_latest_one_counts) {
  add(ok_trial({{"a", 1}}, 5, 100));
  add(ok_trial({{"a", 2}}, 6, 200));
  const auto first = store_->trials(study_)->front();
  add(ok_trial({{"a", 1}}, 7, 300));
  auto trials = *store_->trials(study_);
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[0].timing.median_us, 6);
  EXPECT_EQ(trials[1].timing.median_us, 7);
  EXPECT_NE(trials[1].id, first.id);
  EXPECT_EQ(winning_a(), Value(2));
  EXPECT_EQ((*store_->study(study_))->trials, 3);
  auto kept = store_->trial(first.id);
  ASSERT_TRUE(kept.ok() && kept->has_value());
  EXPECT_EQ((*kept)->trial.timing.median_us, 5);
  EXPECT_EQ((*kept)->trial.samples_us, first.samples_us);
}

TEST_P(DatabaseTest, a_trial_that_ended_before_the_current_one_does_not_replace_it) {
  add(ok_trial({{"a", 1}}, 5, 300));
  add(ok_trial({{"a", 1}}, 7, 100));
  auto trials = *store_->trials(study_);
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials[0].timing.median_us, 5);
  EXPECT_TRUE(store_->trial(2)->has_value());
}

TEST_P(DatabaseTest, a_configuration_that_fails_when_measured_again_counts_as_failed) {
  add(ok_trial({{"a", 1}}, 5, 100));
  add(ok_trial({{"a", 2}}, 6, 100));
  add(failed_trial({{"a", 1}}, Status::wrong_result, 200));
  EXPECT_EQ(winning_a(), Value(2));
  const StudySummary summary = **store_->study(study_);
  EXPECT_EQ(summary.id, study_);
  EXPECT_EQ(summary.failed, 1);
  EXPECT_EQ(summary.trials, 3);
  EXPECT_EQ(summary.best_us, 6.0);
  EXPECT_EQ(summary.updated_unix_ms, 200);
  EXPECT_FALSE(store_->study(99)->has_value());
}

TEST_P(DatabaseTest, trials_are_counted_for_the_studies_that_are_asked_for) {
  add(ok_trial({{"a", 1}}, 5));
  const auto studies = store_->studies(Counts::ignored);
  ASSERT_EQ(studies->size(), 1u);
  EXPECT_EQ(studies->front().trials, 0);
  EXPECT_FALSE(studies->front().best_us.has_value());
  const auto counted = store_->counted({StudySummary{.id = 99}, studies->front()});
  ASSERT_EQ(counted->size(), 1u);
  EXPECT_EQ(counted->front().trials, 1);
  EXPECT_EQ(*counted->front().best_us, 5);
  EXPECT_EQ(counted->front().study.problem, studies->front().study.problem);
  EXPECT_TRUE(store_->counted({})->empty());
}

TEST_P(DatabaseTest, a_trial_has_the_complete_device_and_the_host_of_its_session) {
  add(ok_trial({{"a", 1}}, 5));
  const auto found = *store_->trial(store_->trials(study_)->front().id);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->host_name, "box");
  const DeviceInfo device = example_device();
  EXPECT_EQ(found->device.attributes(), device.attributes());
  EXPECT_EQ(found->device.ecc, device.ecc);
  EXPECT_EQ(found->device.mig, device.mig);
  EXPECT_EQ(found->device.driver, device.driver);
  EXPECT_EQ(found->device.runtime, device.runtime);
  EXPECT_EQ(found->device.compiler, device.compiler);
}

TEST_P(DatabaseTest, one_study_may_be_measured_on_two_hosts) {
  DeviceInfo other = example_device();
  other.driver = "560";
  other.memory_bytes /= 2;
  const auto session = *store_->begin_session({"0.1.0", "crate", "gktune run x.yaml", other});
  add(ok_trial({{"a", 1}}, 5));
  ASSERT_TRUE(store_->add_trial(study_, session, ok_trial({{"a", 2}}, 6)).ok());
  const auto trials = *store_->trials(study_);
  ASSERT_EQ(trials.size(), 2u);
  const auto here = **store_->trial(trials[0].id), there = **store_->trial(trials[1].id);
  EXPECT_EQ(here.host_name, "box");
  EXPECT_EQ(there.host_name, "crate");
  EXPECT_EQ(here.device.driver, "550.54");
  EXPECT_EQ(there.device.driver, "560");
  EXPECT_EQ(here.device.memory_bytes, 2 * there.device.memory_bytes);
}

TEST_P(DatabaseTest, best_without_a_playoff_is_the_trial_with_the_least_objective) {
  EXPECT_TRUE(store_->winners("reduce")->empty());
  add(failed_trial({{"a", 0}}, Status::crashed));
  add(ok_trial({{"a", 1}}, 8));
  add(ok_trial({{"a", 2}}, 5, 7777));
  const Winner winner = best();
  EXPECT_EQ(winner.study_id, study_);
  EXPECT_EQ(winner.study.problem, reduce_study().problem);
  EXPECT_EQ(*winner.trial.config.find("a"), Value(2));
  EXPECT_EQ(winner.trial.problem, reduce_study().problem);
  EXPECT_EQ(winner.trial.timing.median_us, 5);
  EXPECT_EQ(winner.trial.samples_us.size(), 3u);
  EXPECT_FALSE(winner.from_playoff);
  EXPECT_EQ(winner.trials, 3);
  EXPECT_EQ(winner.failed, 1);
  EXPECT_EQ(winner.updated_unix_ms, 7777);
}

TEST_P(DatabaseTest, a_playoff_keeps_all_its_finalists) {
  EXPECT_FALSE(store_->playoff(study_)->has_value());
  add(ok_trial({{"a", 1}}, 5.1));
  add(ok_trial({{"a", 2}}, 5));
  hold(playoff_of({{ok_trial({{"a", 1}}, 5.1), {4.9, 5.2}}, {ok_trial({{"a", 2}}, 5), {5.3, 5.4, 5.5}}}));
  auto held = store_->playoff(study_);
  ASSERT_TRUE(held.ok() && held->has_value());
  EXPECT_EQ((*held)->held_unix_ms, 2000);
  ASSERT_EQ((*held)->finalists.size(), 2u);
  const Trial& winner = (*held)->finalists[0];
  EXPECT_EQ(winner.config, (Config{{"a", 1}}));
  EXPECT_EQ(winner.problem, reduce_study().problem);
  EXPECT_EQ(winner.samples_us, (Samples{4.9, 5.2}));
  EXPECT_EQ(winner.timing.median_us, 4.9);
  EXPECT_EQ(winner.objective, 4.9);
  EXPECT_EQ(winner.metrics.find("GB/s")->real(), 1000 / 4.9);
  EXPECT_EQ((*held)->finalists[1].samples_us, (Samples{5.3, 5.4, 5.5}));
  EXPECT_EQ((*held)->finalists[1].id, store_->trials(study_)->at(1).id);
}

TEST_P(DatabaseTest, the_winner_of_the_playoff_is_the_best_with_the_figures_of_the_playoff) {
  add(ok_trial({{"a", 1}}, 5.1));
  add(ok_trial({{"a", 2}}, 5));
  hold(playoff_of({{ok_trial({{"a", 1}}, 5.1), {4.8, 4.9}}, {ok_trial({{"a", 2}}, 5), {5.3}}}));
  const Winner winner = best();
  EXPECT_EQ(*winner.trial.config.find("a"), Value(1));
  EXPECT_EQ(winner.trial.timing.median_us, 4.8);
  EXPECT_EQ(winner.trial.objective, 4.8);
  EXPECT_EQ(winner.trial.samples_us.size(), 2u);
  EXPECT_EQ(winner.trial.metrics.find("GB/s")->real(), 1000 / 4.8);
  EXPECT_TRUE(winner.from_playoff);
  EXPECT_EQ(*store_->studies()->front().best_us, 4.8);
  EXPECT_EQ(store_->trials(study_)->front().timing.median_us, 5.1);
}

TEST_P(DatabaseTest, a_later_faster_trial_replaces_the_winner_of_the_playoff) {
  add(ok_trial({{"a", 1}}, 5.1, 1000));
  hold(playoff_of({{ok_trial({{"a", 1}}, 5.1), {4.9}}}, 2000));
  add(ok_trial({{"a", 2}}, 5.2, 3000));
  EXPECT_EQ(winning_a(), Value(1));
  EXPECT_TRUE(store_->playoff(study_)->has_value());
  add(ok_trial({{"a", 3}}, 5.0, 3000));
  EXPECT_EQ(winning_a(), Value(3));
  EXPECT_EQ(best().trial.timing.median_us, 5.0);
  EXPECT_FALSE(store_->playoff(study_)->has_value());
  hold(playoff_of({{ok_trial({{"a", 1}}, 5.1), {4.9}}}, 4000));
  EXPECT_EQ(winning_a(), Value(1));
}

TEST_P(DatabaseTest, the_latest_playoff_decides_whatever_the_order_of_adding) {
  add(ok_trial({{"a", 1}}, 5));
  add(ok_trial({{"a", 2}}, 5));
  hold(playoff_of({{ok_trial({{"a", 1}}, 5), {5}}}, 3000));
  hold(playoff_of({{ok_trial({{"a", 2}}, 5), {4}}}, 2000));
  EXPECT_EQ(winning_a(), Value(1));
}

TEST_P(DatabaseTest, a_winner_of_the_playoff_that_is_measured_again_wins_by_its_new_time_alone) {
  add(ok_trial({{"a", 1}}, 5, 1000));
  add(ok_trial({{"a", 2}}, 6, 1000));
  hold(playoff_of({{ok_trial({{"a", 1}}, 5), {5}}, {ok_trial({{"a", 2}}, 6), {6}}}, 2000));
  add(ok_trial({{"a", 1}}, 7, 3000));
  EXPECT_EQ(winning_a(), Value(2));
  EXPECT_FALSE(best().from_playoff);
  add(failed_trial({{"a", 2}}, Status::wrong_result, 4000));
  EXPECT_EQ(winning_a(), Value(1));
}

TEST_P(DatabaseTest, a_trial_that_was_dropped_early_never_wins_over_a_finished_one) {
  Trial cut_short = ok_trial({{"a", 1}}, 4);
  cut_short.is_dropped_early = true;
  ASSERT_TRUE(store_->add_trial(study_, session_, cut_short).ok());
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", 2}}, 6)).ok());
  EXPECT_EQ(*store_->winners("reduce")->front().trial.config.find("a"), Value(2));
}

TEST_P(DatabaseTest, a_trial_without_a_fresh_execution_never_wins_over_one_that_has_it) {
  add(ok_trial({{"a", 1}}, 4));
  Trial confirmed = ok_trial({{"a", 2}}, 6);
  confirmed.fresh_us = 6;
  add(confirmed);
  EXPECT_EQ(winning_a(), Value(2));
}

TEST_P(DatabaseTest, an_objective_that_is_not_a_number_never_wins) {
  Trial odd = ok_trial({{"a", 1}}, 4);
  odd.objective = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(store_->add_trial(study_, session_, odd).ok());
  EXPECT_TRUE(store_->winners("reduce")->empty());
  EXPECT_FALSE(store_->studies()->front().best_us.has_value());
  EXPECT_TRUE(std::isnan(store_->trials(study_)->front().objective));
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", 2}}, 6)).ok());
  EXPECT_EQ(*store_->winners("reduce")->front().trial.config.find("a"), Value(2));
}

TEST_P(DatabaseTest, the_best_can_be_asked_for_one_kernel_or_for_all) {
  Study sum = reduce_study();
  sum.kernel = "sum";
  auto other = *store_->study_id(sum);
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", 1}}, 5)).ok());
  ASSERT_TRUE(store_->add_trial(other, session_, ok_trial({{"a", 1}}, 6)).ok());
  EXPECT_EQ(store_->winners("reduce")->size(), 1u);
  EXPECT_EQ(store_->winners("")->size(), 2u);
  EXPECT_TRUE(store_->winners("nothing")->empty());
}

TEST_P(DatabaseTest, a_playoff_needs_successful_trials) {
  add(failed_trial({{"a", 1}}, Status::crashed));
  const auto refused = store_->add_playoff(study_, session_, playoff_of({{ok_trial({{"a", 1}}, 5), {5}}}));
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().message.ends_with("study 1 has no successful trial of a=1"))
      << refused.error().message;
  EXPECT_FALSE(store_->add_playoff(study_, session_, playoff_of({{ok_trial({{"a", 2}}, 5), {5}}})).ok());
  EXPECT_FALSE(store_->add_playoff(99, session_, playoff_of({{ok_trial({{"a", 1}}, 5), {5}}})).ok());
  EXPECT_FALSE(store_->playoff(study_)->has_value());
}

TEST_P(DatabaseTest, a_trial_without_a_study_or_a_session_is_refused) {
  EXPECT_FALSE(store_->add_trial(99, session_, ok_trial({{"a", 1}}, 1)).ok());
  EXPECT_FALSE(store_->add_trial(study_, 99, ok_trial({{"a", 1}}, 1)).ok());
  EXPECT_TRUE(store_->trials(study_)->empty());
}

class Claims : public DatabaseTest {
 protected:
  using Milliseconds = std::chrono::milliseconds;
  static constexpr Milliseconds kLong{600'000};

  bool claim(std::int64_t session, const std::optional<Config>& config, Milliseconds lease = kLong) {
    const auto granted = store_->claim(study_, session, config, lease);
    EXPECT_TRUE(granted.ok()) << (granted ? "" : granted.error().message);
    return granted && *granted;
  }

  OthersWork work_of_others(std::int64_t after_id = 0, const std::set<std::int64_t>& known = {}) {
    return store_->work_of_others(study_, session_, after_id, known).value();
  }

  const Config config_{{"a", 1}, {"b", 2}};
  std::int64_t other_ = *store_->begin_session({"0.1.0", "box", "gktune run x.yaml", example_device()});
};

INSTANTIATE_TEST_SUITE_P(Stores, Claims, ::testing::ValuesIn(stores()),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(Claims, keep_other_sessions_from_a_configuration) {
  EXPECT_TRUE(claim(session_, config_));
  EXPECT_FALSE(claim(other_, config_));
  EXPECT_FALSE(claim(other_, Config{{"b", 2}, {"a", 1}})) << "the order of names plays no part";
  EXPECT_TRUE(claim(session_, config_)) << "its own";
  EXPECT_TRUE(claim(other_, Config{{"a", 2}, {"b", 2}}));
}

TEST_P(Claims, apply_to_one_study) {
  Study study = reduce_study();
  study.regime = Regime::hot;
  const auto hot = *store_->study_id(study);
  EXPECT_TRUE(claim(session_, config_));
  EXPECT_TRUE(*store_->claim(hot, other_, config_, kLong));
}

TEST_P(Claims, are_refused_for_a_configuration_with_a_trial) {
  add(ok_trial(config_, 10));
  EXPECT_FALSE(claim(session_, config_));
  EXPECT_FALSE(claim(other_, config_));
}

TEST_P(Claims, end_with_the_trial) {
  EXPECT_TRUE(claim(session_, config_));
  add(ok_trial(config_, 10));
  EXPECT_FALSE(claim(other_, config_)) << "it is measured";
  EXPECT_EQ(store_->work_of_others(study_, other_, 0)->trials.size(), 1u);
}

TEST_P(Claims, end_when_they_are_released_or_their_session_ends) {
  EXPECT_TRUE(claim(session_, config_));
  ASSERT_TRUE(store_->release_claims(other_).ok());
  EXPECT_FALSE(claim(other_, config_));
  ASSERT_TRUE(store_->release_claims(session_).ok());
  EXPECT_TRUE(claim(other_, config_));
  ASSERT_TRUE(store_->end_session(other_).ok());
  EXPECT_TRUE(claim(session_, config_));
}

TEST_P(Claims, end_with_their_lease_unless_it_is_renewed) {
  EXPECT_TRUE(claim(session_, config_, Milliseconds(0)));
  EXPECT_TRUE(claim(other_, config_, Milliseconds(0))) << "its owner died";
  ASSERT_TRUE(store_->renew_claims(session_, kLong).ok());
  EXPECT_TRUE(claim(session_, config_, Milliseconds(0)))
      << "it was lost, and is not renewed by its former owner";
  ASSERT_TRUE(store_->renew_claims(session_, kLong).ok());
  EXPECT_FALSE(claim(other_, config_));
}

TEST_P(Claims, treat_the_playoff_separately_from_configurations) {
  EXPECT_TRUE(claim(session_, std::nullopt));
  EXPECT_TRUE(claim(other_, Config{}));
  EXPECT_FALSE(claim(other_, std::nullopt));
}

TEST_P(Claims, of_others_are_on_what_they_measure_now) {
  EXPECT_TRUE(claim(session_, config_));
  EXPECT_TRUE(claim(other_, Config{{"a", 2}}));
  EXPECT_TRUE(claim(other_, Config{{"a", 3}}, Milliseconds(0))) << "it expires at once";
  EXPECT_TRUE(claim(other_, std::nullopt));
  EXPECT_TRUE(*store_->claim_reference(study_, other_, "box", kLong));
  EXPECT_TRUE(claim(other_, Config{{"a", 4}, {"text", "line\nline"}}));
  EXPECT_EQ(work_of_others().claimed, (std::vector<Config>{{{"a", 2}}, {{"a", 4}, {"text", "line\nline"}}}));
  ASSERT_TRUE(store_->add_trial(study_, other_, ok_trial({{"a", 2}}, 20)).ok());
  EXPECT_EQ(work_of_others().claimed.size(), 1u);
  EXPECT_EQ(work_of_others().trials.size(), 1u);
}

TEST_P(Claims, of_the_reference_are_made_once_for_each_host) {
  add(ok_trial(config_, 10));
  EXPECT_TRUE(*store_->claim_reference(study_, session_, "east", kLong));
  EXPECT_FALSE(*store_->claim_reference(study_, other_, "east", kLong));
  EXPECT_TRUE(*store_->claim_reference(study_, other_, "west", kLong));
}

TEST_P(Claims, are_refused_without_a_study_or_a_session) {
  EXPECT_FALSE(store_->claim(77, session_, config_, kLong).ok());
  EXPECT_FALSE(store_->claim(study_, 77, config_, kLong).ok());
}

TEST_P(Claims, report_the_trials_of_others_once_and_in_order) {
  add(ok_trial({{"a", 1}}, 10));
  ASSERT_TRUE(store_->add_trial(study_, other_, ok_trial({{"a", 2}}, 20)).ok());
  ASSERT_TRUE(store_->add_trial(study_, other_, ok_trial({{"a", 3}}, 30)).ok());
  const auto learned = work_of_others().trials;
  ASSERT_EQ(learned.size(), 2u);
  EXPECT_EQ(learned[0].config, (Config{{"a", 2}}));
  EXPECT_EQ(learned[1].timing.median_us, 30);
  EXPECT_EQ(learned[1].problem, reduce_study().problem);
  EXPECT_EQ(work_of_others(learned[0].id).trials.size(), 1u);
  EXPECT_TRUE(work_of_others(learned[1].id).trials.empty());
  EXPECT_EQ(store_->work_of_others(study_, other_, 0)->trials.size(), 1u);
}

TEST_P(Claims, report_a_trial_that_appears_after_one_with_a_larger_id) {
  for (int a = 1; a <= 4; ++a) ASSERT_TRUE(store_->add_trial(study_, other_, ok_trial({{"a", a}}, 10)).ok());
  std::vector<std::int64_t> ids;
  for (const Trial& trial : work_of_others().trials) ids.push_back(trial.id);
  ASSERT_EQ(ids.size(), 4u);
  const auto learned = work_of_others(0, {ids[0], ids[2]}).trials;
  ASSERT_EQ(learned.size(), 2u);
  EXPECT_EQ(learned[0].id, ids[1]);
  EXPECT_EQ(learned[1].id, ids[3]);
  EXPECT_TRUE(work_of_others(ids[0], {ids[1], ids[2], ids[3]}).trials.empty());
}

TEST_P(Claims, report_the_newest_trial_of_all_studies) {
  EXPECT_EQ(work_of_others().newest_id, 0);
  add(ok_trial(config_, 10));
  Study study = reduce_study();
  study.regime = Regime::hot;
  ASSERT_TRUE(store_->add_trial(*store_->study_id(study), other_, ok_trial({{"a", 2}}, 20)).ok());
  const auto work = work_of_others(std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(work.trials.empty());
  EXPECT_GT(work.newest_id, store_->trials(study_)->front().id);
}

class Hosts : public DatabaseTest {
 protected:
  std::int64_t west_ = *store_->begin_session({"0.1.0", "west", "gktune run x.yaml", example_device()});
};

INSTANTIATE_TEST_SUITE_P(Stores, Hosts, ::testing::ValuesIn(stores()),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(Hosts, are_compared_by_the_successful_trial_that_ended_first) {
  EXPECT_TRUE(store_->reference_trials(study_)->empty());
  add(failed_trial({{"a", 0}}, Status::wrong_result, 900));
  add(ok_trial({{"a", 2}}, 5, 1100));
  add(ok_trial({{"a", 1}}, 10, 1000));
  ASSERT_TRUE(store_->add_trial(study_, west_, ok_trial({{"a", 1}}, 12, 1200)).ok());
  const auto trials = *store_->reference_trials(study_);
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[0].config, (Config{{"a", 1}}));
  EXPECT_EQ(trials[0].host_name, "box");
  EXPECT_EQ(trials[1].host_name, "west");
  EXPECT_EQ(trials[1].timing.median_us, 12);
}

TEST_P(Hosts, repeat_the_playoffs_of_others) {
  const Trial first = ok_trial({{"a", 1}}, 10), second = ok_trial({{"a", 2}}, 11);
  add(first), add(second);
  hold(playoff_of({{first, {10}}, {second, {11}}}, 2000));
  EXPECT_EQ((*store_->playoff(study_))->host_name, "box");
  EXPECT_FALSE((*store_->playoff(study_))->other.has_value());
  hold(playoff_of({{first, {10}}, {second, {11}}}, 2100));
  EXPECT_FALSE((*store_->playoff(study_))->other.has_value()) << "on the same host";
  ASSERT_TRUE(store_->add_trial(study_, west_, ok_trial({{"a", 1}}, 12, 1500)).ok());
  ASSERT_TRUE(store_->add_playoff(study_, west_, playoff_of({{second, {10}}, {first, {11}}}, 2200)).ok());
  const Playoff repeated = **store_->playoff(study_);
  EXPECT_EQ(repeated.host_name, "west");
  ASSERT_TRUE(repeated.other.has_value());
  EXPECT_EQ(repeated.other->host_name, "box");
  EXPECT_EQ(repeated.other->winner, (Config{{"a", 1}}));
  EXPECT_EQ(winning_a(), Value(2)) << "the latest decides";
  const Trial third = ok_trial({{"a", 3}}, 9, 2300);
  add(third);
  EXPECT_TRUE((*store_->playoff(study_))->is_outdated);
  ASSERT_TRUE(store_->add_playoff(study_, west_, playoff_of({{third, {9}}, {first, {11}}}, 2400)).ok());
  EXPECT_FALSE((*store_->playoff(study_))->other.has_value()) << "of other finalists";
}

TEST_P(DatabaseTest, messages_of_any_bytes_are_read_back) {
  Trial trial = failed_trial({{"a", "é'; DROP TABLE trials; --"}}, Status::compile_failed);
  trial.message = std::string("error: \0 \xc3\x28 \"\n", 13) + std::string(100'000, 'x');
  ASSERT_TRUE(store_->add_trial(study_, session_, trial).ok());
  auto trials = store_->trials(study_);
  // PostgreSQL keeps characters alone.
  if (GetParam() == std::string("postgres")) trial.message.replace(7, 3, "  \xef\xbf\xbd");
  EXPECT_EQ(trials->front().message, trial.message);
  EXPECT_EQ(trials->front().config, trial.config);
}

TEST_P(DatabaseTest, a_configuration_that_is_no_utf8_is_refused) {
  EXPECT_TRUE(contains(message_of(store_->add_trial(study_, session_, ok_trial({{"a", "\xff"}}, 1))),
                       "configuration: a text is no UTF-8"));
}

class Queue : public DatabaseTest {
 protected:
  using State = QueuedProblem::State;

  static QueuedProblem problem(std::int64_t n, std::int64_t priority = 0, const std::string& device = "") {
    return {.kernel = "reduce", .problem = {{"n", n}}, .device = device, .priority = priority, .trials = 7};
  }
  std::optional<QueuedProblem> take(const std::string& host = "box",
                                    std::chrono::milliseconds lease = std::chrono::seconds(30)) {
    return *store_->take_queued({"reduce"}, "NVIDIA H200", host, lease);
  }
  QueuedProblem only() { return store_->queue()->at(0); }
};

INSTANTIATE_TEST_SUITE_P(Stores, Queue, ::testing::ValuesIn(stores()),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(Queue, problems_leave_by_priority_and_age_and_once) {
  EXPECT_EQ(*store_->enqueue({problem(1), problem(2), problem(3, 5)}), 3);
  EXPECT_EQ(*store_->enqueue({problem(1), problem(2)}), 2);
  for (const std::int64_t n : {3, 1, 2}) {
    const auto taken = take();
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->problem, (Problem{{"n", n}}));
    EXPECT_EQ(taken->trials, 7);
    EXPECT_EQ(taken->attempts, 1);
  }
  EXPECT_FALSE(take());
  EXPECT_EQ(store_->queue()->size(), 3u);
}

TEST_P(Queue, kernels_and_devices_select) {
  ASSERT_EQ(*store_->enqueue({problem(1, 0, "H100"), problem(2, 0, "H200")}), 2);
  EXPECT_FALSE(*store_->take_queued({"scan"}, "NVIDIA H200", "box", std::chrono::seconds(30)));
  EXPECT_EQ(take()->problem, (Problem{{"n", 2}}));
  EXPECT_FALSE(take());
}

TEST_P(Queue, a_problem_whose_host_was_lost_is_taken_again_and_fails_after_three_times) {
  ASSERT_TRUE(store_->enqueue({problem(1)}).ok());
  constexpr std::chrono::milliseconds kExpired{-1};
  const auto lost = take("a", kExpired);
  EXPECT_EQ(take("b", kExpired)->attempts, 2);
  EXPECT_FALSE(*store_->renew_queued(*lost, std::chrono::seconds(30)));
  ASSERT_TRUE(store_->put_queued(*lost, State::done).ok());  // too late
  EXPECT_EQ(only().state, State::running);
  EXPECT_EQ(take("c", kExpired)->attempts, 3);
  EXPECT_FALSE(take("d"));
  EXPECT_EQ(only().state, State::failed);
  EXPECT_EQ(only().message, "its hosts were lost 3 times");
  EXPECT_EQ(*store_->enqueue({problem(1)}), 1);
  EXPECT_EQ(take("d")->attempts, 1);
}

TEST_P(Queue, a_lease_is_renewed_and_a_problem_put_back_waits) {
  ASSERT_TRUE(store_->enqueue({problem(1)}).ok());
  const auto taken = take("a", std::chrono::milliseconds(-1));
  EXPECT_TRUE(*store_->renew_queued(*taken, std::chrono::seconds(30)));
  EXPECT_FALSE(take("b"));
  EXPECT_EQ(*store_->enqueue({problem(1, 9)}), 0);  // it runs
  ASSERT_TRUE(store_->put_queued(*taken, State::waiting).ok());
  EXPECT_EQ(take("b")->attempts, 1);
}

TEST_P(Queue, what_is_done_or_failed_is_cleared) {
  ASSERT_TRUE(store_->enqueue({problem(1), problem(2), problem(3)}).ok());
  ASSERT_TRUE(store_->put_queued(*take(), State::done).ok());
  ASSERT_TRUE(store_->put_queued(*take(), State::failed, "why").ok());
  EXPECT_EQ(*store_->clear_queue(), 2);
  EXPECT_EQ(only().problem, (Problem{{"n", 3}}));
}

}  // namespace
}  // namespace gktune
