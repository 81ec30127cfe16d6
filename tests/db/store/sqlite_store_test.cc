#include "db/store/sqlite_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "db/sqlite/database.h"
#include "db/sqlite/statement.h"
#include "db/winners_sql.h"
#include "tests/db/example_study.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class SqliteStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<TrialStore> open(StoreAccess access = StoreAccess::write) const {
    auto store = open_sqlite_store(path_, access);
    EXPECT_TRUE(store.ok()) << store.error().message;
    return std::move(*store);
  }
  sqlite::Database database() const {
    return {path_, sqlite::Database::Access::read, std::chrono::seconds(1)};
  }

  ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_ / "gktune.db";
  std::unique_ptr<TrialStore> store_ = open();
  std::int64_t session_ = *store_->begin_session({"0.1.0", "box", "gktune run x.yaml", example_device()});
  std::int64_t study_ = *store_->study_id(reduce_study());
};

TEST_F(SqliteStoreTest, another_connection_reads_the_study_and_its_trials) {
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", 1}}, 5)).ok());
  EXPECT_EQ(*open()->study_id(reduce_study()), study_);
  EXPECT_EQ(open(StoreAccess::read)->trials(study_)->size(), 1u);
}

TEST_F(SqliteStoreTest, a_session_and_a_number_identify_a_trial_in_any_database) {
  const auto other = *store_->begin_session({});
  for (int i : {1, 2, 1}) {
    ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", i}}, 5)).ok());
    ASSERT_TRUE(store_->add_trial(study_, other, ok_trial({{"a", i}}, 5)).ok());
  }
  auto file = database();
  EXPECT_EQ(file.integer("SELECT count(*) FROM trials"), 6);
  EXPECT_EQ(file.integer("SELECT sum(number) FROM trials WHERE session_id = 1"), 1 + 2 + 3);
  EXPECT_EQ(file.integer("SELECT sum(number) FROM trials WHERE session_id = 2"), 1 + 2 + 3);
  EXPECT_EQ(file.integer("SELECT count(DISTINCT uuid) FROM sessions WHERE length(uuid) = 32"), 2);
}

TEST_F(SqliteStoreTest, queries_find_winners_and_counts_through_indexes) {
  auto file = database();
  for (const char* query : {"SELECT * FROM best_view WHERE study_id = 1", "SELECT * FROM study_view",
                            "SELECT * FROM playoff_winner_view WHERE study_id = 1",
                            "SELECT id FROM trials WHERE study_id = 1 AND config = 'x' AND is_current = 1",
                            "SELECT max(number) FROM trials WHERE session_id = 1"}) {
    sqlite::Statement plan(file, std::string("EXPLAIN QUERY PLAN ") + query);
    while (plan.step()) {
      auto row = plan.row();
      for (int skipped = 0; skipped < 3; ++skipped) row.integer();
      const auto detail = row.text();
      for (const char* table : {"SCAN t", "SCAN w", "SCAN f", "SCAN finalists", "SCAN l"}) {
        EXPECT_FALSE(detail == table || detail.starts_with(std::string(table) + " "))
            << query << ": " << detail;
      }
    }
  }
}

TEST_F(SqliteStoreTest, a_configuration_that_json_cannot_hold_is_refused) {
  auto infinite =
      store_->add_trial(study_, session_, ok_trial({{"a", std::numeric_limits<double>::infinity()}}, 1));
  ASSERT_FALSE(infinite.ok());
  EXPECT_EQ(infinite.error().message, path_.string() + ": configuration: a is inf, which cannot be stored");
  Study study = reduce_study();
  study.problem.set("share", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(store_->study_id(study).error().message,
            path_.string() + ": problem: share is nan, which cannot be stored");
  EXPECT_FALSE(store_->add_trial(study_, session_, ok_trial({{"a", std::string("b\0c", 3)}}, 1)).ok());
  EXPECT_TRUE(store_->trials(study_)->empty());
}

TEST_F(SqliteStoreTest, an_infinite_metric_is_read_back_as_not_a_number) {
  Trial trial = ok_trial({{"a", 1}}, 1);
  trial.metrics = {{"GB/s", std::numeric_limits<double>::infinity()}, {"x", 1.5}};
  ASSERT_TRUE(store_->add_trial(study_, session_, trial).ok());
  auto read = store_->trials(study_)->front().metrics;
  EXPECT_TRUE(std::isnan(read.find("GB/s")->real()));
  EXPECT_EQ(*read.find("x"), Value(1.5));
}

TEST_F(SqliteStoreTest, a_store_opened_for_reading_sees_new_trials_and_writes_nothing) {
  auto reader = open(StoreAccess::read);
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", 1}}, 1)).ok());
  EXPECT_EQ(reader->trials(study_)->size(), 1u);
  EXPECT_FALSE(reader->add_trial(study_, session_, ok_trial({{"a", 2}}, 1)).ok());
  EXPECT_FALSE(reader->begin_session({}).ok());
}

TEST_F(SqliteStoreTest, a_file_that_is_removed_or_moved_is_an_error_and_no_trial_is_lost) {
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", 1}}, 5)).ok());
  const auto expect_recovered = [&](const std::string& name, std::size_t trials) {
    const auto copy = path_.string() + name;
    const auto added =
        store_->add_trial(study_, session_, ok_trial({{"a", static_cast<std::int64_t>(trials)}}, 5));
    ASSERT_FALSE(added.ok());
    EXPECT_EQ(added.error().message,
              path_.string() + ": was removed or replaced while in use; all its trials are in " + copy);
    auto recovered = open_sqlite_store(copy, StoreAccess::write);
    ASSERT_TRUE(recovered.ok()) << recovered.error().message;
    EXPECT_EQ((*recovered)->trials(study_)->size(), trials);
  };
  std::filesystem::rename(path_, scratch_ / "moved.db");
  expect_recovered(".recovered", 2);
  std::filesystem::remove(scratch_ / "moved.db");
  expect_recovered(".recovered-2", 3);
  scratch_.write("gktune.db", "another file");
  expect_recovered(".recovered-3", 4);
}

TEST_F(SqliteStoreTest, a_file_that_is_removed_after_the_last_trial_is_an_error_at_the_end_of_the_session) {
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", 1}}, 5)).ok());
  std::filesystem::remove(path_);
  const auto ended = store_->end_session(session_);
  ASSERT_FALSE(ended.ok());
  const auto copy = path_.string() + ".recovered";
  EXPECT_EQ(ended.error().message,
            path_.string() + ": was removed or replaced while in use; all its trials are in " + copy);
  auto recovered = open_sqlite_store(copy, StoreAccess::read);
  ASSERT_TRUE(recovered.ok()) << recovered.error().message;
  EXPECT_EQ((*recovered)->trials(study_)->size(), 1u);
}

TEST_F(SqliteStoreTest, the_end_of_a_session_whose_trials_are_recovered_makes_no_second_copy) {
  std::filesystem::rename(path_, scratch_ / "moved.db");
  ASSERT_FALSE(store_->add_trial(study_, session_, ok_trial({{"a", 1}}, 5)).ok());
  EXPECT_TRUE(store_->end_session(session_).ok());
  EXPECT_TRUE(std::filesystem::exists(path_.string() + ".recovered"));
  EXPECT_FALSE(std::filesystem::exists(path_.string() + ".recovered-2"));
}

// After every write the table of winners says what the trials and playoffs say.
TEST_F(SqliteStoreTest, the_stored_winners_match_the_trials_after_every_write) {
  const auto expect_winners = [&] {
    auto file = database();
    EXPECT_EQ(file.integer("SELECT count(*) FROM winner_view v WHERE v.trial_id IS NOT NULL"),
              file.integer("SELECT count(*) FROM winners"));
    EXPECT_EQ(file.integer("SELECT count(*) FROM winner_view v JOIN trials t ON t.id = v.trial_id"
                           " LEFT JOIN winners w ON w.study_id = v.study_id AND w.trial_id = v.trial_id"
                           " AND w.finalist_id IS v.finalist_id AND w.config = t.config"
                           " AND w.session_id = t.session_id WHERE w.study_id IS NULL"),
              0);
  };
  std::int64_t clock = 1000;
  const auto add = [&](const Trial& trial) {
    ASSERT_TRUE(store_->add_trial(study_, session_, trial).ok());
    expect_winners();
  };
  add(failed_trial({{"a", 1}}, Status::crashed, ++clock));
  add(ok_trial({{"a", 2}}, 9, ++clock));
  add(ok_trial({{"a", 3}}, 7, ++clock));
  add(ok_trial({{"a", 4}}, 8, ++clock));
  ASSERT_TRUE(
      store_->add_playoff(study_, session_, {{ok_trial({{"a", 4}}, 6), ok_trial({{"a", 3}}, 7)}, ++clock})
          .ok());
  expect_winners();
  EXPECT_EQ(database().integer("SELECT config ->> 'a' FROM winners"), 4);
  add(ok_trial({{"a", 5}}, 5, ++clock));            // overtakes the winner of the playoff
  add(failed_trial({{"a", 5}}, Status::crashed, ++clock));  // and fails when it is measured again
  add(failed_trial({{"a", 4}}, Status::crashed, ++clock));
  add(failed_trial({{"a", 3}}, Status::crashed, ++clock));
  add(failed_trial({{"a", 2}}, Status::crashed, ++clock));
  EXPECT_EQ(database().integer("SELECT count(*) FROM winners"), 0);
}

TEST_F(SqliteStoreTest, winners_and_general_configurations_can_be_computed_again) {
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", 2}}, 9)).ok());
  store_.reset();
  sqlite::Database file(path_, sqlite::Database::Access::create, std::chrono::seconds(1));
  file.execute("DELETE FROM winners");
  file.execute("DELETE FROM general_configs");
  file.execute(GKTUNE_FILL_WINNERS);
  file.execute(GKTUNE_FILL_GENERAL_CONFIGS("1"));
  EXPECT_EQ(file.integer("SELECT count(*) FROM winners"), 1);
  EXPECT_EQ(file.integer("SELECT count(*) FROM general_configs WHERE share = 1"), 1);
}

TEST_F(SqliteStoreTest, the_end_of_a_session_finds_the_configuration_with_the_best_worst_share) {
  const auto other = *store_->study_id(reduce_study(64));
  const std::pair<int, std::pair<double, double>> times[] = {{1, {10, 40}}, {2, {15, 15}}, {3, {30, 10}}};
  for (const auto& [a, both] : times) {
    ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", a}}, both.first)).ok());
    ASSERT_TRUE(store_->add_trial(other, session_, ok_trial({{"a", a}}, both.second)).ok());
  }
  ASSERT_TRUE(store_->add_trial(other, session_, ok_trial({{"a", 4}}, 10)).ok());  // on one problem only
  EXPECT_EQ(database().integer("SELECT count(*) FROM general_configs"), 0);
  ASSERT_TRUE(store_->end_session(session_).ok());
  auto file = database();
  EXPECT_EQ(file.integer("SELECT config ->> 'a' FROM general_configs"), 2);
  EXPECT_EQ(file.text("SELECT round(share, 3) || ' ' || problems FROM general_configs"), "0.667 2");
}

TEST_F(SqliteStoreTest, the_share_of_a_maximised_objective_uses_its_magnitude) {
  Study study = reduce_study();
  study.objective = "maximize GB/s";
  const auto id = *store_->study_id(study);
  for (const auto& [a, objective] : {std::pair(1, -100.0), std::pair(2, -50.0)}) {
    ASSERT_TRUE(store_->add_trial(id, session_, ok_trial({{"a", a}}, objective)).ok());
  }
  study.problem.set("n", 7);
  const auto other = *store_->study_id(study);
  ASSERT_TRUE(store_->add_trial(other, session_, ok_trial({{"a", 2}}, -50)).ok());
  ASSERT_TRUE(store_->end_session(session_).ok());
  EXPECT_EQ(database().text("SELECT (config ->> 'a') || ' ' || share FROM general_configs"), "2 0.5");
}

TEST_F(SqliteStoreTest, a_new_description_of_a_space_replaces_the_old_one) {
  ASSERT_TRUE(store_->describe_space("reduce", "f1", {{{"T", "exact"}}, {"a > 0"}, {{"a", 1}}}).ok());
  ASSERT_TRUE(store_->describe_space("reduce", "f1", {{}, {"a > 1", "a < 9"}, {{"a", 2}}}).ok());
  auto file = database();
  EXPECT_EQ(file.text("SELECT matching || constraints || default_config FROM spaces"),
            R"({}{"0":"a > 1","1":"a < 9"}{"a":2})");
  EXPECT_FALSE(store_->describe_space("reduce", "f1", {{}, {std::string(1, '\0')}, {}}).ok());
}

}  // namespace
}  // namespace gktune
