#include "db/store/health.h"

#include <gtest/gtest.h>

#include <fstream>

#include "db/store/archive.h"
#include "db/sqlite/database.h"
#include "db/store/sqlite_store.h"
#include "tests/db/example_study.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

class HealthTest : public ::testing::Test {
 protected:
  // Two studies with 24 trials each, one of which was measured twice, and a playoff.
  void SetUp() override {
    auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
    const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
    for (const std::int64_t n : {1024, 2048}) {
      const auto study = *store->study_id(reduce_study(n));
      for (int i = 0; i < 24; ++i)
        ASSERT_TRUE(store->add_trial(study, session, ok_trial({{"a", i}, {"way", "one_pass"}}, 10 + i, 1000)).ok());
    }
    ASSERT_TRUE(store->add_trial(1, session, ok_trial({{"a", 0}, {"way", "one_pass"}}, 9, 2000)).ok());
    ASSERT_TRUE(store->add_playoff(1, session, {{ok_trial({{"a", 0}, {"way", "one_pass"}}, 8)}, 3000}).ok());
  }
  void tamper(const std::string& sql) const {
    sqlite::Database file(path_, sqlite::Database::Access::create, std::chrono::seconds(1));
    file.execute(sql);
  }
  std::vector<std::string> findings() const {
    auto health = check_database(path_);
    EXPECT_TRUE(health.ok()) << health.error().message;
    return health.ok() ? health->findings : std::vector<std::string>{health.error().message};
  }
  std::string first_finding() const {
    const auto all = findings();
    return all.empty() ? "" : all.front();
  }

  ScratchFolder scratch_;
  fs::path path_ = scratch_ / "gktune.db", repaired_ = scratch_ / "repaired.db";
};

TEST_F(HealthTest, a_good_database_has_no_findings) {
  const Health health = *check_database(path_);
  EXPECT_EQ(health.findings, std::vector<std::string>{});
  EXPECT_EQ(health.trials, 49);
  EXPECT_EQ(health.finalists, 1);
  EXPECT_EQ(health.without_checksum, 0);
}

TEST_F(HealthTest, each_change_of_a_row_is_found) {
  for (const char* change : {"config = replace(config, 'one', 'two')", "median_us = median_us + 1e-9", "status = 'crashed'",
                             "samples = x'0000000000000000'", "study_id = 2, is_current = 0", "ended_ms = ended_ms + 1",
                             "registers = 3", "message = 'x'", "number = 9999"}) {
    ScratchFolder folder;
    const fs::path copy = folder / "copy.db";
    fs::copy_file(path_, copy);
    sqlite::Database(copy, sqlite::Database::Access::create, std::chrono::seconds(1))
        .execute(std::string("UPDATE trials SET ") + change + " WHERE id = 12");
    const Health health = *check_database(copy);
    ASSERT_FALSE(health.findings.empty()) << change;
    EXPECT_EQ(health.findings.front(), "trials 12: its checksum differs") << change;
  }
}

TEST_F(HealthTest, rows_of_earlier_versions_are_parsed_instead) {
  tamper("UPDATE trials SET checksum = NULL");
  EXPECT_EQ(check_database(path_)->without_checksum, 49);
  EXPECT_EQ(findings().size(), 0u);
  tamper("UPDATE trials SET config = '{\"a\":' WHERE id = 5");
  EXPECT_TRUE(first_finding().starts_with("trials 5: ")) << first_finding();
  tamper("UPDATE trials SET config = '{\"a\":4,\"way\":\"one_pass\"}' WHERE id = 5; "
         "UPDATE trials SET samples = x'00' WHERE id = 6");
  EXPECT_EQ(first_finding(), "trials 6: damaged: samples of 1 bytes");
}

TEST_F(HealthTest, rows_that_contradict_each_other_are_found) {
  tamper("UPDATE study_counts SET trials = trials + 1 WHERE study_id = 2");
  EXPECT_EQ(first_finding(), "study 2: the counts of its trials are wrong");
  tamper("UPDATE study_counts SET trials = trials - 1 WHERE study_id = 2; DELETE FROM finalists");
  EXPECT_EQ(first_finding(), "playoff 1 has no winner");
  tamper("UPDATE trials SET is_current = 0 WHERE id = 40");
  EXPECT_NE(first_finding().find("has no current trial"), std::string::npos);
}

TEST_F(HealthTest, repair_of_a_good_database_keeps_every_row) {
  const Repair repair = *repair_database(path_, repaired_);
  EXPECT_EQ(repair.findings, std::vector<std::string>{});
  EXPECT_EQ(repair.tables.at("trials").kept, 49);
  EXPECT_EQ(repair.tables.at("finalists").kept, 1);
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
  auto before = std::move(*open_sqlite_store(path_, StoreAccess::read));
  auto after = std::move(*open_sqlite_store(repaired_, StoreAccess::read));
  EXPECT_EQ(before->best("")->front().trial.id, after->best("")->front().trial.id);
  EXPECT_EQ(repair_database(path_, repaired_).ok(), false);  // overwrites nothing
}

TEST_F(HealthTest, a_damaged_row_costs_no_other_and_an_earlier_one_takes_its_place) {
  tamper("UPDATE trials SET median_us = 1, objective = 1 WHERE id = 49");  // the current trial of a=0
  const Repair repair = *repair_database(path_, repaired_);
  EXPECT_EQ(repair.tables.at("trials").lost, 1);
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
  auto store = std::move(*open_sqlite_store(repaired_, StoreAccess::read));
  const auto winner = store->best("")->front();
  EXPECT_EQ(winner.trial.id, 1);
  EXPECT_EQ(winner.trial.objective, 10);
  EXPECT_FALSE(winner.from_playoff);
}

// A bit that flips in the objective of a trial would make it the best.
TEST_F(HealthTest, a_damaged_row_hides_no_good_one_from_queries) {
  tamper("UPDATE trials SET objective = 0.5, median_us = 0.5 WHERE id = 25; UPDATE finalists SET objective = 0.1");
  auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
  const auto archive = *Archive::open(path_);
  // The finalist of the first study is damaged, the winner of the search in the second.
  const auto winners = *store->best("");
  ASSERT_EQ(winners.size(), 2u);
  EXPECT_EQ(winners[0].trial.objective, 9);
  EXPECT_FALSE(winners[0].from_playoff);
  EXPECT_EQ(winners[1].trial.id, 26);
  EXPECT_EQ((*archive.winner(2))->trial.id, 26);
  EXPECT_EQ(archive.evidence(**archive.winner(2))->second->id, 27);
  EXPECT_FALSE(store->playoff(1)->has_value());
  EXPECT_EQ(store->trials(2)->size(), 23u);
  const Ranked ranked = *archive.ranked(**store->study(2), {.limit = 3});
  EXPECT_EQ(ranked.damaged, 1);
  EXPECT_EQ(ranked.trials.front().id, 26);
  const auto named = store->trial(25);
  ASSERT_FALSE(named.ok());
  EXPECT_NE(named.error().message.find("damaged: the checksum of trial 25 differs"), std::string::npos);
}

TEST_F(HealthTest, a_damaged_study_hides_no_other_from_queries_and_is_named_once) {
  tamper("UPDATE studies SET problem = '{\"n\":' WHERE id = 1");
  std::vector<std::string> damage;
  const auto store = std::move(*open_sqlite_store(path_, StoreAccess::read, std::chrono::seconds(1),
                                                  [&](const std::string& text) { damage.push_back(text); }));
  const auto studies = *store->studies();
  ASSERT_EQ(studies.size(), 1u);
  EXPECT_EQ(studies[0].id, 2);
  ASSERT_EQ(store->best("")->size(), 1u);
  EXPECT_EQ(store->best("reduce")->front().study_id, 2);
  ASSERT_FALSE(damage.empty());
  for (const std::string& text : damage) EXPECT_EQ(text, damage.front());
  EXPECT_TRUE(damage.front().starts_with("a damaged study is left out: study 1 of 'reduce': its problem is damaged: "))
      << damage.front();
  EXPECT_NE(store->study(1).error().message.find("study 1 of 'reduce'"), std::string::npos);
}

TEST_F(HealthTest, repair_drops_a_damaged_study_with_its_trials_and_says_so) {
  tamper("UPDATE studies SET problem = '{\"n\":' WHERE id = 1");
  EXPECT_TRUE(first_finding().starts_with("studies 1: damaged")) << first_finding();
  const Repair repair = *repair_database(path_, repaired_);
  ASSERT_FALSE(repair.findings.empty());
  EXPECT_TRUE(repair.findings.front().starts_with("studies 1: damaged")) << repair.findings.front();
  EXPECT_EQ(repair.tables.at("studies").lost, 1);
  EXPECT_EQ(repair.tables.at("studies").kept, 1);
  EXPECT_EQ(repair.tables.at("trials").lost, 25);
  EXPECT_EQ(repair.tables.at("trials").kept, 24);
  EXPECT_EQ(repair.tables.at("playoffs").lost, 1);
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
}

TEST_F(HealthTest, a_damaged_finalist_hides_neither_the_winner_nor_the_third) {
  {
    auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
    std::vector<Trial> finalists;
    for (int i = 1; i < 4; ++i) finalists.push_back(ok_trial({{"a", i}, {"way", "one_pass"}}, 5 + i));
    ASSERT_TRUE(store->add_playoff(2, 1, {finalists, 5000}).ok());
  }
  tamper("UPDATE finalists SET objective = 1 WHERE playoff_id = 2 AND place = 2");
  const auto archive = *Archive::open(path_);
  const Best winner = **archive.winner(2);
  EXPECT_TRUE(winner.from_playoff);
  const auto evidence = archive.evidence(winner);
  ASSERT_TRUE(evidence.ok()) << evidence.error().message;
  EXPECT_EQ(evidence->second->objective, 8);
}

TEST_F(HealthTest, a_comparison_leaves_damaged_trials_out_and_counts_them) {
  tamper("UPDATE trials SET median_us = 1 WHERE id = 25; UPDATE trials SET config = '{', checksum = NULL WHERE id IN (3, 27)");
  const auto common = *Archive::open(path_)->common(1, 2);
  EXPECT_EQ(common.configs.size(), 22u);
  EXPECT_EQ(common.damaged, 2);
}

TEST_F(HealthTest, a_damaged_trial_is_measured_again_and_never_becomes_the_winner) {
  tamper("UPDATE trials SET objective = 0.5, median_us = 0.5 WHERE id = 30");  // a=5 of the second study
  auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
  const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
  const Config sound{{"a", 6}, {"way", "one_pass"}}, damaged{{"a", 5}, {"way", "one_pass"}}, added{{"a", 99}, {"way", "one_pass"}};
  EXPECT_FALSE(*store->claim(2, session, sound, std::chrono::minutes(1)));
  EXPECT_TRUE(*store->claim(2, session, damaged, std::chrono::minutes(1)));
  ASSERT_TRUE(store->add_trial(2, session, ok_trial(added, 50, 4000)).ok());
  const auto config_of_winner = [&] {
    sqlite::Database file(path_, sqlite::Database::Access::read, std::chrono::seconds(1));
    return file.text("SELECT config FROM winners WHERE study_id = 2");
  };
  EXPECT_EQ(config_of_winner(), R"({"a":0,"way":"one_pass"})");
  ASSERT_TRUE(store->add_trial(2, session, ok_trial(damaged, 4, 5000)).ok());
  EXPECT_EQ(config_of_winner(), R"({"a":5,"way":"one_pass"})");
  EXPECT_EQ(store->best("")->back().trial.objective, 4);
}

TEST_F(HealthTest, a_stored_winner_that_differs_from_its_trial_is_found) {
  tamper("UPDATE winners SET config = replace(config, '0', '7') WHERE study_id = 2");
  EXPECT_EQ(findings(), std::vector<std::string>{"study 2: its stored winner is damaged"});
}

// Overwrites each page of the file in turn. Rows outside the page survive, and nothing that is wrong does.
TEST_F(HealthTest, a_damaged_page_costs_the_rows_in_it_alone) {
  tamper("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  std::ifstream file(path_, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  const fs::path damaged = scratch_ / "damaged.db";
  std::size_t rescued = 0, pages = 0, of_schema = 0;
  for (std::size_t at = 4096; at < whole.size(); at += 4096, ++pages) {
    {
      std::string bytes = whole;
      bytes.replace(at, 4096, 4096, pages % 2 == 0 ? '\0' : '\xa5');
      std::ofstream(damaged, std::ios::binary) << bytes;
      fs::remove(repaired_);
      const auto repair = repair_database(damaged, repaired_);
      if (!repair.ok()) {
        ++of_schema;  // without the schema no table can be found
        EXPECT_FALSE(fs::exists(repaired_)) << repair.error().message;
        continue;
      }
      EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{}) << "page " << at / 4096 + 1;
      const auto kept = repair->tables.at("trials").kept;
      EXPECT_EQ(kept + repair->tables.at("trials").lost, 49) << "page " << at / 4096 + 1;
      rescued += kept >= 40 ? 1 : 0;
    }
  }
  EXPECT_LE(of_schema, 6u);
  EXPECT_GE(rescued + of_schema, pages - 3);  // all but those that the table of trials begins with
}

TEST_F(HealthTest, what_is_no_database_is_an_error) {
  std::ofstream(scratch_ / "text.db") << "not a database";
  EXPECT_FALSE(check_database(scratch_ / "text.db").ok());
  EXPECT_FALSE(repair_database(scratch_ / "text.db", repaired_).ok());
  EXPECT_FALSE(repair_database(scratch_ / "none.db", repaired_).ok());
  EXPECT_FALSE(fs::exists(repaired_));
}

}  // namespace
}  // namespace gktune
