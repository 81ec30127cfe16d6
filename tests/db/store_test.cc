#include "db/store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "tests/db/example_study.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class StoreTest : public ::testing::Test {
 protected:
  Store open(Store::Mode mode = Store::Mode::write) {
    auto store = Store::open(path_, mode);
    EXPECT_TRUE(store.ok()) << store.error().message;
    return std::move(*store);
  }

  ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_ / "gktune.db";
  Store store_ = open();
  std::int64_t session_ =
      *store_.begin_session({"0.1.0", "550.54", "13.0", "NVRTC 13.0", "box", "gktune run x.yaml"});
  std::int64_t study_ = *store_.study_id(reduce_study());
};

TEST_F(StoreTest, a_trial_is_read_back_as_it_was) {
  Trial trial =
      ok_trial({{"threadsPerBlock", 256}, {"fast", true}, {"share", 0.1}, {"way", "one \"pass\"\n"}}, 12.5);
  trial.problem = reduce_study().problem;
  trial.out_of_race = true;
  trial.resources = {42, 16, 1024, 2048, 0.75, {100, 2, 3}, {256, 4, 1}};
  trial.conditions = {1980, 54.5, 612.25, 0.003, true};
  trial.metrics = {{"GB/s", 4613.25}, {"launches", 2}};
  trial.compile_s = 0.035;
  trial.run_s = 0.25;
  trial.started_unix_ms = 1700000000123;
  trial.ended_unix_ms = 1700000000456;
  ASSERT_TRUE(store_.add_trial(study_, session_, trial).ok());

  for (auto mode : {Store::Mode::write, Store::Mode::read}) {
    auto trials = open(mode).trials(study_);
    ASSERT_TRUE(trials.ok()) << trials.error().message;
    ASSERT_EQ(trials->size(), 1u);
    const Trial& read = trials->front();
    EXPECT_EQ(read.config, trial.config);
    EXPECT_EQ(read.problem, trial.problem);
    EXPECT_EQ(read.status, Status::ok);
    EXPECT_EQ(read.message, "");
    EXPECT_EQ(read.regime, Regime::cold);
    EXPECT_EQ(read.samples_us, trial.samples_us);
    EXPECT_EQ(read.timing.median_us, 12.5);
    EXPECT_EQ(read.timing.low_us, 11.5);
    EXPECT_EQ(read.timing.high_us, 13.5);
    EXPECT_EQ(read.timing.min_us, 11.5);
    EXPECT_EQ(read.timing.mean_us, 12.5);
    EXPECT_EQ(read.timing.deviation_us, 0.8);
    EXPECT_EQ(read.resources.registers, 42);
    EXPECT_EQ(read.resources.spill_bytes, 16);
    EXPECT_EQ(read.resources.static_shared_bytes, 1024);
    EXPECT_EQ(read.resources.dynamic_shared_bytes, 2048);
    EXPECT_EQ(read.resources.occupancy, 0.75);
    EXPECT_EQ(read.resources.grid, trial.resources.grid);
    EXPECT_EQ(read.resources.block, trial.resources.block);
    EXPECT_EQ(read.conditions.clock_mhz, 1980);
    EXPECT_EQ(read.conditions.temperature_c, 54.5);
    EXPECT_EQ(read.conditions.power_w, 612.25);
    EXPECT_EQ(read.conditions.energy_j, 0.003);
    EXPECT_TRUE(read.conditions.throttled);
    EXPECT_EQ(read.metrics, trial.metrics);
    EXPECT_EQ(read.objective, 12.5);
    EXPECT_TRUE(read.out_of_race);
    EXPECT_EQ(read.compile_s, 0.035);
    EXPECT_EQ(read.run_s, 0.25);
    EXPECT_EQ(read.started_unix_ms, 1700000000123);
    EXPECT_EQ(read.ended_unix_ms, 1700000000456);
  }
}

TEST_F(StoreTest, a_failure_is_read_back_with_its_message_and_what_is_not_known) {
  const int last = static_cast<int>(kLastStatus);
  for (int i = 0; i <= last; ++i) {
    auto status = static_cast<Status>(i);
    if (status == Status::ok) continue;
    ASSERT_TRUE(store_.add_trial(study_, session_, failed_trial({{"i", i}}, status)).ok());
  }
  auto trials = store_.trials(study_);
  ASSERT_TRUE(trials.ok());
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

TEST_F(StoreTest, trials_come_in_the_order_they_ended_and_one_again_is_the_last) {
  for (int i : {3, 1, 2})
    ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", i}, {"b", 1}}, i)).ok());
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"b", 1}, {"a", 1}}, 9)).ok());
  auto trials = store_.trials(study_);
  ASSERT_TRUE(trials.ok());
  ASSERT_EQ(trials->size(), 3u);
  EXPECT_EQ(trials->at(0).timing.median_us, 3);
  EXPECT_EQ(trials->at(1).timing.median_us, 2);
  EXPECT_EQ(trials->at(2).timing.median_us, 9);
}

TEST_F(StoreTest, configurations_that_differ_by_kind_alone_are_two) {
  for (Value value : {Value(1), Value(1.0), Value(true), Value("1")}) {
    ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", value}}, 1)).ok());
  }
  auto trials = store_.trials(study_);
  ASSERT_TRUE(trials.ok());
  EXPECT_EQ(trials->size(), 4u);
}

TEST_F(StoreTest, a_study_is_known_again_whatever_the_order_of_its_axes) {
  Study other = reduce_study();
  other.problem = {{"T", "float"}, {"n", 1048576}};
  EXPECT_EQ(*store_.study_id(other), study_);
  EXPECT_EQ(*open().study_id(other), study_);
}

TEST_F(StoreTest, everything_that_identifies_a_study_makes_another) {
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
  for (const auto& other : others) ids.insert(*store_.study_id(other));
  EXPECT_EQ(ids.size(), 10u);
  auto summaries = store_.studies();
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

TEST_F(StoreTest, a_trial_is_found_by_its_number_with_its_study) {
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"threadsPerBlock", 128}}, 20)).ok());
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"threadsPerBlock", 256}}, 10)).ok());
  const std::vector<Trial> trials = *store_.trials(study_);
  ASSERT_EQ(trials.size(), 2u);
  for (const Trial& trial : trials) {
    auto found = store_.trial(trial.id);
    ASSERT_TRUE(found.ok()) << found.error().message;
    ASSERT_TRUE(found->has_value());
    EXPECT_EQ((*found)->trial.id, trial.id);
    EXPECT_EQ((*found)->trial.config, trial.config);
    EXPECT_EQ((*found)->trial.problem, reduce_study().problem);
    EXPECT_EQ((*found)->study.kernel, reduce_study().kernel);
    EXPECT_EQ((*found)->study.device, reduce_study().device);
  }
  EXPECT_FALSE(store_.trial(99)->has_value());
}

TEST_F(StoreTest, trials_of_one_study_are_not_another_s) {
  auto other = *store_.study_id(reduce_study(7));
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 1}}, 1)).ok());
  ASSERT_TRUE(store_.add_trial(other, session_, ok_trial({{"a", 1}}, 2)).ok());
  EXPECT_EQ(store_.trials(study_)->size(), 1u);
  EXPECT_EQ(store_.trials(other)->front().timing.median_us, 2);
  EXPECT_EQ(*store_.trials(other)->front().problem.find("n"), Value(7));
  EXPECT_TRUE(store_.trials(99)->empty());
}

TEST_F(StoreTest, best_without_a_playoff_is_the_trial_with_the_least_objective) {
  EXPECT_TRUE(store_.best("reduce")->empty());
  ASSERT_TRUE(store_.add_trial(study_, session_, failed_trial({{"a", 0}}, Status::crashed)).ok());
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 1}}, 8)).ok());
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 2}}, 5, 7777)).ok());
  auto best = store_.best("reduce");
  ASSERT_TRUE(best.ok()) << best.error().message;
  ASSERT_EQ(best->size(), 1u);
  const Best& winner = best->front();
  EXPECT_EQ(winner.study.problem, reduce_study().problem);
  EXPECT_EQ(*winner.trial.config.find("a"), Value(2));
  EXPECT_EQ(winner.trial.problem, reduce_study().problem);
  EXPECT_EQ(winner.median_us, 5);
  EXPECT_EQ(winner.samples, 3);
  EXPECT_FALSE(winner.from_playoff);
  EXPECT_EQ(winner.trials, 3);
  EXPECT_EQ(winner.failed, 1);
  EXPECT_EQ(winner.updated_unix_ms, 7777);
}

TEST_F(StoreTest, a_playoff_is_remembered_until_there_is_another_trial) {
  EXPECT_FALSE(store_.playoff(study_)->has_value());
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 1}}, 5.1)).ok());
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 2}}, 5)).ok());
  ASSERT_TRUE(store_.set_best(study_, {{"a", 1}}, {4.9, 5.2}).ok());
  auto held = store_.playoff(study_);
  ASSERT_TRUE(held.ok() && held->has_value());
  EXPECT_EQ((*held)->config, (Config{{"a", 1}}));
  EXPECT_EQ((*held)->samples, (Samples{4.9, 5.2}));
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 3}}, 6)).ok());
  EXPECT_FALSE(store_.playoff(study_)->has_value());
}

TEST_F(StoreTest, the_winner_of_the_playoff_is_the_best) {
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 1}}, 5.1)).ok());
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 2}}, 5)).ok());
  ASSERT_TRUE(store_.set_best(study_, {{"a", 1}}, {4.9, 5.2, 4.8, 4.7}).ok());
  auto best = store_.best("");
  ASSERT_EQ(best->size(), 1u);
  EXPECT_EQ(*best->front().trial.config.find("a"), Value(1));
  EXPECT_DOUBLE_EQ(best->front().median_us, 4.85);
  EXPECT_EQ(best->front().samples, 4);
  EXPECT_TRUE(best->front().from_playoff);
  EXPECT_DOUBLE_EQ(*store_.studies()->front().best_us, 4.85);
}

TEST_F(StoreTest, a_winner_chosen_without_a_playoff_has_the_time_of_its_trial) {
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 1}}, 5)).ok());
  ASSERT_TRUE(store_.set_best(study_, {{"a", 1}}, {}).ok());
  EXPECT_EQ(store_.best("reduce")->front().median_us, 5);
  EXPECT_EQ(store_.best("reduce")->front().samples, 3);
  EXPECT_FALSE(store_.best("reduce")->front().from_playoff);
}

TEST_F(StoreTest, a_later_and_quicker_trial_overtakes_the_winner_of_the_playoff) {
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 1}}, 5.1)).ok());
  ASSERT_TRUE(store_.set_best(study_, {{"a", 1}}, {4.9}).ok());
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 2}}, 5.2)).ok());
  EXPECT_EQ(*store_.best("reduce")->front().trial.config.find("a"), Value(1));
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 3}}, 5.0)).ok());
  EXPECT_EQ(*store_.best("reduce")->front().trial.config.find("a"), Value(3));
  EXPECT_EQ(store_.best("reduce")->front().median_us, 5.0);
  ASSERT_TRUE(store_.set_best(study_, {{"a", 1}}, {4.9}).ok());
  EXPECT_EQ(*store_.best("reduce")->front().trial.config.find("a"), Value(1));
}

TEST_F(StoreTest, a_winner_that_is_measured_again_and_fails_is_no_longer_the_best) {
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 1}}, 5)).ok());
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 2}}, 6)).ok());
  ASSERT_TRUE(store_.set_best(study_, {{"a", 1}}, {5}).ok());
  ASSERT_TRUE(store_.add_trial(study_, session_, failed_trial({{"a", 1}}, Status::wrong_result)).ok());
  EXPECT_EQ(*store_.best("reduce")->front().trial.config.find("a"), Value(2));
}

TEST_F(StoreTest, a_trial_out_of_the_race_never_wins_over_one_that_finished) {
  Trial cut_short = ok_trial({{"a", 1}}, 4);
  cut_short.out_of_race = true;
  ASSERT_TRUE(store_.add_trial(study_, session_, cut_short).ok());
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 2}}, 6)).ok());
  EXPECT_EQ(*store_.best("reduce")->front().trial.config.find("a"), Value(2));
}

TEST_F(StoreTest, an_objective_that_is_not_a_number_never_wins) {
  Trial odd = ok_trial({{"a", 1}}, 4);
  odd.objective = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(store_.add_trial(study_, session_, odd).ok());
  EXPECT_TRUE(store_.best("reduce")->empty());
  EXPECT_FALSE(store_.studies()->front().best_us.has_value());
  EXPECT_TRUE(std::isnan(store_.trials(study_)->front().objective));
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 2}}, 6)).ok());
  EXPECT_EQ(*store_.best("reduce")->front().trial.config.find("a"), Value(2));
}

TEST_F(StoreTest, best_is_asked_for_one_kernel_or_for_all) {
  Study sum = reduce_study();
  sum.kernel = "sum";
  auto other = *store_.study_id(sum);
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 1}}, 5)).ok());
  ASSERT_TRUE(store_.add_trial(other, session_, ok_trial({{"a", 1}}, 6)).ok());
  EXPECT_EQ(store_.best("reduce")->size(), 1u);
  EXPECT_EQ(store_.best("")->size(), 2u);
  EXPECT_TRUE(store_.best("nothing")->empty());
}

TEST_F(StoreTest, set_best_asks_for_a_trial_that_went_well) {
  ASSERT_TRUE(store_.add_trial(study_, session_, failed_trial({{"a", 1}}, Status::crashed)).ok());
  EXPECT_EQ(store_.set_best(study_, {{"a", 1}}, {}).error().message,
            path_.string() + ": no trial of study 1 went well with a=1");
  EXPECT_FALSE(store_.set_best(study_, {{"a", 2}}, {}).ok());
}

TEST_F(StoreTest, summaries_count_trials_and_failures) {
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 1}}, 5, 50)).ok());
  ASSERT_TRUE(store_.add_trial(study_, session_, failed_trial({{"a", 2}}, Status::timed_out, 40)).ok());
  auto summary = store_.study(study_);
  ASSERT_TRUE(summary.ok());
  ASSERT_TRUE(summary->has_value());
  EXPECT_EQ((*summary)->id, study_);
  EXPECT_EQ((*summary)->trials, 2);
  EXPECT_EQ((*summary)->failed, 1);
  EXPECT_EQ((*summary)->best_us, 5.0);
  EXPECT_EQ((*summary)->updated_unix_ms, 50);
  EXPECT_FALSE(store_.study(99)->has_value());
}

TEST_F(StoreTest, a_configuration_that_json_cannot_hold_is_refused) {
  auto infinite =
      store_.add_trial(study_, session_, ok_trial({{"a", std::numeric_limits<double>::infinity()}}, 1));
  ASSERT_FALSE(infinite.ok());
  EXPECT_EQ(infinite.error().message, path_.string() + ": configuration: a is inf, which cannot be stored");
  Study study = reduce_study();
  study.problem.set("share", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(store_.study_id(study).error().message,
            path_.string() + ": problem: share is nan, which cannot be stored");
  EXPECT_FALSE(store_.add_trial(study_, session_, ok_trial({{"a", std::string("b\0c", 3)}}, 1)).ok());
  EXPECT_TRUE(store_.trials(study_)->empty());
}

TEST_F(StoreTest, a_metric_that_is_not_finite_is_read_back_as_not_a_number) {
  Trial trial = ok_trial({{"a", 1}}, 1);
  trial.metrics = {{"GB/s", std::numeric_limits<double>::infinity()}, {"x", 1.5}};
  ASSERT_TRUE(store_.add_trial(study_, session_, trial).ok());
  auto read = store_.trials(study_)->front().metrics;
  EXPECT_TRUE(std::isnan(read.find("GB/s")->real()));
  EXPECT_EQ(*read.find("x"), Value(1.5));
}

TEST_F(StoreTest, a_trial_of_no_study_or_no_session_is_refused) {
  EXPECT_FALSE(store_.add_trial(99, session_, ok_trial({{"a", 1}}, 1)).ok());
  EXPECT_FALSE(store_.add_trial(study_, 99, ok_trial({{"a", 1}}, 1)).ok());
  EXPECT_TRUE(store_.trials(study_)->empty());
}

TEST_F(StoreTest, texts_of_any_bytes_survive) {
  Trial trial = failed_trial({{"a", "\xff\xfe'; DROP TABLE trials; --"}}, Status::compile_failed);
  trial.message = std::string("error: \0 \xc3\x28 \"\n", 13) + std::string(100'000, 'x');
  ASSERT_TRUE(store_.add_trial(study_, session_, trial).ok());
  auto trials = store_.trials(study_);
  ASSERT_TRUE(trials.ok()) << trials.error().message;
  EXPECT_EQ(trials->front().message, trial.message);
  EXPECT_EQ(trials->front().config, trial.config);
}

TEST_F(StoreTest, a_store_can_be_moved) {
  Store moved = std::move(store_);
  ASSERT_TRUE(moved.add_trial(study_, session_, ok_trial({{"a", 1}}, 1)).ok());
  store_ = std::move(moved);
  EXPECT_EQ(store_.trials(study_)->size(), 1u);
  EXPECT_TRUE(store_.end_session(session_).ok());
}

TEST_F(StoreTest, a_store_opened_for_reading_sees_what_is_written_and_writes_nothing) {
  Store reader = open(Store::Mode::read);
  ASSERT_TRUE(store_.add_trial(study_, session_, ok_trial({{"a", 1}}, 1)).ok());
  EXPECT_EQ(reader.trials(study_)->size(), 1u);
  EXPECT_FALSE(reader.add_trial(study_, session_, ok_trial({{"a", 2}}, 1)).ok());
  EXPECT_FALSE(reader.begin_session({}).ok());
}

}  // namespace
}  // namespace gktune
