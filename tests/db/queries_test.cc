#include <gtest/gtest.h>

#include <stdexcept>

#include "db/database.h"
#include "db/sql/statement.h"
#include "tests/db/example_study.h"
#include "tests/expectations.h"
#include "tests/file_limit.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class Queries : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = std::move(*Database::open(path_, Database::Access::write));
    session_ = begin("550.54");
    study_ = *store_->study_id(reduce_study());
  }
  std::int64_t begin(const std::string& driver, const std::string& host = "box") const {
    DeviceInfo device = example_device();
    device.driver = driver;
    return *store_->begin_session({"0.1.0", host, "gktune run x.yaml", device});
  }
  void add(std::int64_t study, std::int64_t session, const Trial& trial) const {
    ASSERT_TRUE(store_->add_trial(study, session, trial).ok());
  }
  // Trials of 20 KB.
  void add_long(std::int64_t study, int count) const {
    for (int i = 0; i < count; ++i) {
      Trial trial = ok_trial({{"a", i}}, 10);
      trial.message = std::string(20'000, 'x');
      add(study, session_, trial);
    }
  }
  std::unique_ptr<Database> reopened() const {
    return std::move(*Database::open(path_, Database::Access::write));
  }
  StudySummary summary() const { return **store_->study(study_); }
  Winner winner() const {
    auto found = store_->winner(study_);
    if (!found) throw std::runtime_error(found.error().message);
    return found->value();
  }
  std::int64_t integer(const std::string& sql) const {
    sqlite::Connection file(path_, sqlite::Connection::Access::read, std::chrono::seconds(1));
    return file.integer(sql);
  }

  ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_ / "gktune.db";
  std::unique_ptr<Database> store_;
  std::int64_t session_ = 0, study_ = 0;
};

TEST_F(Queries, ranked_trials_can_be_limited_by_number_and_period) {
  for (int i = 0; i < 10; ++i) {
    Trial trial = ok_trial({{"a", i}}, 20 - i, 1000 + i);
    trial.is_dropped_early = i == 7;
    add(study_, session_, trial);
  }
  add(study_, session_, failed_trial({{"a", 77}}, Status::crashed, 1003));
  const auto best = *store_->ranked(study_, {.limit = 3});
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[0].objective, 11);
  EXPECT_EQ(best[2].objective, 13);  // dropped early, in its place
  EXPECT_EQ(store_->ranked(study_, {})->size(), 10u);
  EXPECT_EQ(store_->ranked(study_, {.since_unix_ms = 1008})->size(), 2u);
  EXPECT_EQ(store_->ranked(study_, {.failure = Status::crashed})->size(), 1u);
  EXPECT_EQ(store_->ranked(study_, {.failure = Status::timed_out})->size(), 0u);
}

TEST_F(Queries, evidence_has_the_lead_over_the_second) {
  add(study_, session_, ok_trial({{"a", 1}}, 100));
  EXPECT_FALSE(store_->evidence(winner())->second.has_value());
  add(study_, session_, ok_trial({{"a", 2}}, 110));
  const Evidence evidence = *store_->evidence(winner());
  EXPECT_NEAR(evidence.lead, 0.1, 1e-9);
  EXPECT_TRUE(evidence.is_lead_clear);
  EXPECT_EQ(evidence.second->config, (Config{{"a", 2}}));
  EXPECT_EQ(winner().environment.driver, "550.54");
  EXPECT_TRUE(winner().changes.empty());
  Playoff playoff{{ok_trial({{"a", 2}}, 100), ok_trial({{"a", 1}}, 101)}, 5000};
  ASSERT_TRUE(store_->add_playoff(study_, session_, playoff).ok());
  const Evidence played = *store_->evidence(winner());
  EXPECT_EQ(played.second->config, (Config{{"a", 1}}));
  EXPECT_FALSE(played.is_lead_clear);
  EXPECT_EQ(winner().measured_unix_ms, 5000);
}

TEST(Changes, do_not_compare_nvcc_of_host_code_with_nvrtc) {
  const auto of = [](const char* then, const char* now) {
    return changes_between({.compiler = then}, {.compiler = now});
  };
  EXPECT_TRUE(of("nvcc 13.0.88 with g++ 12", "NVRTC 13.0").empty());
  EXPECT_TRUE(of("NVRTC 13.0", "nvcc 13.0.88 with g++ 12").empty());
  EXPECT_EQ(of("nvcc 12.9.1 with g++ 12", "nvcc 13.0.88 with g++ 12").size(), 1u);
  EXPECT_EQ(of("g++ 12", "clang 14").size(), 1u);
}

TEST_F(Queries, a_query_in_sql_reads_and_changes_nothing) {
  const auto rows = *store_->query("SELECT 1 AS a, 'x' AS b, NULL AS c, 0.5 AS d, x'0102' AS e");
  EXPECT_EQ(rows.columns, (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(rows.rows[0][0], Value(1));
  EXPECT_FALSE(rows.rows[0][2].has_value());
  EXPECT_EQ(rows.rows[0][4], Value("(2 bytes)"));
  for (const char* bad :
       {"DELETE FROM trials", "SELECT 1; SELECT 2", "-- nothing", "SELECT nonsense", "",
        "ATTACH '/tmp/other.db' AS other", "PRAGMA user_version = 9", "VACUUM INTO '/tmp/copy.db'"}) {
    EXPECT_FALSE(store_->query(bad).ok()) << bad;
  }
}

TEST_F(Queries, a_session_and_a_device_are_removed_with_their_last_study) {
  add(study_, session_, ok_trial({{"a", 1}}, 10));
  ASSERT_TRUE(store_->end_session(session_).ok());
  EXPECT_EQ(store_->remove_studies({study_}, Removal::rehearsed)->trials, 1);
  EXPECT_EQ(summary().trials, 1);
  const Removed removed = *store_->remove_studies({study_}, Removal::done);
  EXPECT_EQ(removed.studies, 1);
  EXPECT_EQ(removed.sessions, 1);
  for (const char* table :
       {"devices", "studies", "sessions", "trials"})
    EXPECT_EQ(integer(std::string("SELECT count(*) FROM ") + table), 0) << table;
}

TEST_F(Queries, the_space_of_removed_rows_goes_back_to_the_file_system) {
  const std::int64_t other = *store_->study_id(reduce_study(2048));
  add_long(study_, 50);
  add_long(other, 1);
  store_.reset();
  ASSERT_GT(std::filesystem::file_size(path_), 1'000'000u);
  const auto removed = reopened()->remove_studies({study_}, Removal::done);
  EXPECT_EQ(removed->trials, 50);
  EXPECT_LT(std::filesystem::file_size(path_), 500'000u);
  EXPECT_EQ(integer("SELECT count(*) FROM trials"), 1);
}

TEST_F(Queries, rows_are_removed_also_where_there_is_no_room_to_make_the_file_smaller) {
  const std::int64_t other = *store_->study_id(reduce_study(2048));
  add_long(study_, 50);
  add_long(other, 100);
  store_.reset();
  const auto size = std::filesystem::file_size(path_);
  {
    const FileLimit limit(1'600'000);
    const auto removed = reopened()->remove_studies({study_}, Removal::done);
    EXPECT_EQ(removed->trials, 50);
  }
  EXPECT_EQ(integer("SELECT count(*) FROM trials"), 100);
  EXPECT_EQ(std::filesystem::file_size(path_), size);
}

// Three studies in three sessions, with trials that were measured again and playoffs.
TEST_F(Queries, a_rehearsal_counts_the_rows_that_a_removal_removes) {
  const auto second = begin("580.1"), third = begin("590.1");
  const std::int64_t other = *store_->study_id(reduce_study(2048)),
                     last = *store_->study_id(reduce_study(4096));
  for (int round = 0; round < 2; ++round) {
    for (int a = 0; a < 4; ++a) {
      add(study_, session_, ok_trial({{"a", a}}, 10.0 + a, 1000 + round));
      add(other, second, ok_trial({{"a", a}}, 20.0 + a, 2000 + round));
    }
  }
  add(last, third, ok_trial({{"a", 1}}, 30, 2500));
  add(last, third, failed_trial({{"a", 1}}, Status::crashed, 3000));
  for (const int best : {0, 1}) {
    ASSERT_TRUE(store_
                    ->add_playoff(study_, second,
                                  {{ok_trial({{"a", best}}, 9), ok_trial({{"a", 3}}, 10)}, 5000 + best})
                    .ok());
  }
  for (const auto each : {session_, second, third}) ASSERT_TRUE(store_->end_session(each).ok());
  const auto rows = [&] {
    return Removed{integer("SELECT count(*) FROM studies"), integer("SELECT count(*) FROM trials"),
                   integer("SELECT count(*) FROM playoffs"), integer("SELECT count(*) FROM sessions")};
  };
  const auto agree = [&](const char* what, const auto& remove) {
    const Removed before = rows();
    const auto modified = std::filesystem::last_write_time(path_);
    const Removed expected = *remove(Removal::rehearsed);
    EXPECT_EQ(std::filesystem::last_write_time(path_), modified) << what;
    EXPECT_EQ(rows().trials, before.trials) << what;
    const Removed removed = *remove(Removal::done);
    const Removed after = rows();
    for (const auto member : {&Removed::studies, &Removed::trials, &Removed::playoffs, &Removed::sessions}) {
      EXPECT_EQ(expected.*member, before.*member - after.*member) << what;
      EXPECT_EQ(removed.*member, expected.*member) << what;
    }
    EXPECT_GT(removed.trials, 0) << what;
  };
  agree("the first", [&](Removal removal) { return store_->remove_studies({study_}, removal); });
  agree("the others", [&](Removal removal) { return store_->remove_studies({other, last}, removal); });
  EXPECT_EQ(rows().trials, 0);
  EXPECT_EQ(rows().sessions, 0);
}

TEST_F(Queries, a_study_is_not_removed_while_a_program_tunes_it) {
  add(study_, session_, ok_trial({{"a", 1}}, 10));
  ASSERT_TRUE(*store_->claim(study_, session_, Config{{"a", 2}}, std::chrono::minutes(5)));
  EXPECT_TRUE(
      contains(message_of(store_->remove_studies({study_}, Removal::done)), "a program tunes 'reduce' now"));
  EXPECT_EQ(summary().trials, 1);
}

}  // namespace
}  // namespace gktune
