#include "db/store/health.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "db/portfolio/portfolio.h"
#include "db/sqlite/database.h"
#include "db/sqlite/statement.h"
#include "db/store/archive.h"
#include "db/store/repair.h"
#include "db/store/sqlite_store.h"
#include "tests/db/store/damaged_database.h"

namespace gktune {
namespace {

class HealthTest : public DamagedDatabase {};

TEST_F(HealthTest, a_good_database_has_no_findings) {
  const Health health = *check_database(path_);
  EXPECT_EQ(health.findings, std::vector<std::string>{});
  EXPECT_EQ(health.trials, 49);
  EXPECT_EQ(health.finalists, 1);
}

TEST_F(HealthTest, each_change_of_a_row_is_found) {
  for (const char* change :
       {"config = replace(config, 'one', 'two')", "median_us = median_us + 1e-9", "status = 'crashed'",
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

// Of every table, each column in turn.
TEST_F(HealthTest, a_change_of_any_value_is_found_and_its_row_is_named) {
  fill_all_tables();
  for (const SummedTable& table : summed::kAll) {
    const std::string name(table.name);
    sqlite::Database file(path_, sqlite::Database::Access::read, std::chrono::seconds(1));
    sqlite::Statement columns(file,
                              "SELECT name, type FROM pragma_table_info(?) WHERE pk = 0 AND name NOT IN "
                              "('checksum', 'is_current')");
    columns.bind(name);
    int changed = 0;
    for (; columns.step(); ++changed) {
      auto row = columns.row();
      const std::string column = row.text(), type = row.text();
      const std::string change = type == "TEXT"   ? "coalesce(" + column + ", '') || ' '"
                                 : type == "BLOB" ? "x'0000000000000000'"
                                                  : "coalesce(" + column + ", 0) + 1000";
      ScratchFolder folder;
      const fs::path copy = folder / "copy.db";
      fs::copy_file(path_, copy);
      {
        sqlite::Database target(copy, sqlite::Database::Access::create, std::chrono::seconds(1));
        target.execute("PRAGMA foreign_keys = OFF; UPDATE " + name + " SET " + column + " = " + change);
        ASSERT_GT(target.changes(), 0) << name;
      }
      const Health health = *check_database(copy);
      const bool is_found = std::ranges::any_of(health.findings, [&](const std::string& finding) {
        return finding.starts_with(name + " ") && finding.ends_with(": its checksum differs");
      });
      EXPECT_TRUE(is_found) << name << '.' << column;
    }
    EXPECT_GT(changed, 2) << name;
  }
}

TEST_F(HealthTest, a_damaged_row_is_named_by_its_table_and_identity) {
  fill_all_tables();
  tamper("UPDATE devices SET multiprocessors = 131; UPDATE studies SET updated_ms = 9 WHERE id = 2;"
         "UPDATE sessions SET host_name = 'other'; UPDATE portfolios SET within = 0.5;"
         "UPDATE spaces SET constraints = '{}'; UPDATE general_configs SET share = 0.5");
  EXPECT_EQ(findings(), (std::vector<std::string>{
                            "studies 2: its checksum differs", "devices 1: its checksum differs",
                            "sessions 1: its checksum differs", "portfolios 1: its checksum differs",
                            "general_configs reduce f1 1 cold time: its checksum differs",
                            "spaces reduce f1: its checksum differs",
                            "study 2: its time is not that of its latest trial"}));
}

TEST_F(HealthTest, a_change_of_a_damaged_row_leaves_it_damaged) {
  tamper("UPDATE sessions SET driver = '1'; UPDATE studies SET recorded = '{}' WHERE id = 1");
  {
    auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
    ASSERT_TRUE(store->add_trial(1, 1, ok_trial({{"a", 77}, {"way", "one_pass"}}, 9, 9000)).ok());
    ASSERT_TRUE(store->end_session(1).ok());
  }
  EXPECT_EQ(findings()[0], "studies 1: its checksum differs");
  EXPECT_EQ(findings()[1], "sessions 1: its checksum differs");
}

TEST_F(HealthTest, changes_of_sound_rows_leave_them_sound) {
  fill_all_tables();
  {
    auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
    ASSERT_TRUE(store->add_trial(1, 1, ok_trial({{"a", 77}, {"way", "one_pass"}}, 1, 9000)).ok());
    ASSERT_TRUE(store->describe_space("reduce", "f1", {{}, {"a >= 0"}, {{"a", 2}}}).ok());
    ASSERT_TRUE(store->end_session(1).ok());
    Portfolio portfolio = read_portfolios(path_)->front();
    portfolio.within = 0.1;
    ASSERT_TRUE(store_portfolio(path_, portfolio).ok());
  }
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

TEST_F(HealthTest, databases_of_earlier_versions_get_checksums_for_all_rows) {
  for (const char* name : {"version_1.db", "version_2.db", "version_3.db", "version_4.db"}) {
    const fs::path copy = scratch_ / name;
    fs::copy_file(fs::path(GKTUNE_SOURCE_DIR "/tests/db") / name, copy);
    EXPECT_EQ(check_database(copy)->findings, std::vector<std::string>{}) << name;
    ASSERT_TRUE(open_sqlite_store(copy, StoreAccess::write).ok());
    EXPECT_EQ(check_database(copy)->findings, std::vector<std::string>{}) << name;
    sqlite::Database(copy, sqlite::Database::Access::create, std::chrono::seconds(1))
        .execute("UPDATE trials SET message = 'x' WHERE id = 3");
    EXPECT_EQ(check_database(copy)->findings, std::vector<std::string>{"trials 3: its checksum differs"})
        << name;
  }
}

TEST_F(HealthTest, rows_with_right_checksums_are_parsed_too) {
  tamper_and_reseal("UPDATE trials SET config = '{\"a\":' WHERE id = 5");
  EXPECT_TRUE(first_finding().starts_with("trials 5: ")) << first_finding();
  tamper_and_reseal("UPDATE trials SET config = '{\"a\":4,\"way\":\"one_pass\"}' WHERE id = 5; "
                    "UPDATE trials SET samples = x'00' WHERE id = 6");
  EXPECT_EQ(first_finding(), "trials 6: damaged: samples of 1 bytes");
}

TEST_F(HealthTest, a_row_without_a_checksum_is_damaged) {
  tamper("UPDATE trials SET checksum = NULL WHERE id = 5");
  EXPECT_EQ(findings(), std::vector<std::string>{"trials 5: its checksum differs"});
}

TEST_F(HealthTest, rows_that_contradict_each_other_are_found) {
  tamper("UPDATE study_counts SET trials = trials + 1 WHERE study_id = 2");
  EXPECT_EQ(first_finding(), "study 2: the counts of its trials are wrong");
  tamper("UPDATE study_counts SET trials = trials - 1 WHERE study_id = 2; DELETE FROM finalists");
  EXPECT_EQ(first_finding(), "playoff 1 has no winner");
  tamper("UPDATE trials SET is_current = 0 WHERE id = 40");
  EXPECT_NE(first_finding().find("has no current trial"), std::string::npos);
}

// A bit that flips in the objective of a trial would make it the best.
TEST_F(HealthTest, a_damaged_row_does_not_hide_good_rows_from_queries) {
  tamper(
      "UPDATE trials SET objective = 0.5, median_us = 0.5 WHERE id = 25; UPDATE finalists SET objective = "
      "0.1");
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

TEST_F(HealthTest, queries_name_a_damaged_study_once_and_show_the_others) {
  tamper_and_reseal("UPDATE studies SET problem = '{\"n\":' WHERE id = 1");
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
  EXPECT_TRUE(damage.front().starts_with(
      "a damaged study is left out: study 1 of 'reduce': its problem is damaged: "))
      << damage.front();
  EXPECT_NE(store->study(1).error().message.find("study 1 of 'reduce'"), std::string::npos);
}

TEST_F(HealthTest, queries_leave_out_damaged_studies_and_those_of_damaged_devices) {
  tamper("UPDATE studies SET problem = '{\"T\":\"float\",\"n\":4096}' WHERE id = 1");
  std::vector<std::string> damage;
  const auto open = [&] {
    damage.clear();
    return std::move(*open_sqlite_store(path_, StoreAccess::write, std::chrono::seconds(1),
                                        [&](const std::string& text) { damage.push_back(text); }));
  };
  {
    const auto store = open();
    ASSERT_EQ(store->studies()->size(), 1u);
    EXPECT_EQ(store->studies()->front().id, 2);
    ASSERT_EQ(store->best("")->size(), 1u);
    ASSERT_FALSE(damage.empty());
    EXPECT_EQ(damage.front(),
              "a damaged study is left out: study 1 of 'reduce': damaged: its checksum differs");
    EXPECT_FALSE(store->trial(1).ok());
    EXPECT_NE(store->study_id(reduce_study(4096)).error().message.find("the study of 'reduce' for"),
              std::string::npos);
  }
  tamper("UPDATE devices SET name = 'NVIDIA H100'");
  const auto store = open();
  EXPECT_EQ(store->studies()->size(), 0u);
  EXPECT_EQ(damage.front().substr(0, 37), "2 damaged studies are left out: study");
  Study renamed = reduce_study(1);
  renamed.device.name = "NVIDIA H100";
  EXPECT_NE(store->study_id(renamed).error().message.find("the checksum of the device 'NVIDIA H100' differs"),
            std::string::npos);
}

TEST_F(HealthTest, the_environment_of_a_damaged_session_is_unknown_and_its_trials_answer) {
  tamper("UPDATE sessions SET driver = '999.9'");
  const auto store = std::move(*open_sqlite_store(path_, StoreAccess::read));
  const auto trial = *store->trial(3);
  ASSERT_TRUE(trial.has_value());
  EXPECT_EQ(trial->host_name, "");
  EXPECT_FALSE(trial->device.has_value());
  const auto archive = *Archive::open(path_);
  const auto evidence = archive.evidence(**archive.winner(1));
  EXPECT_EQ(evidence->environment.driver, "");
  EXPECT_EQ(evidence->changes, std::vector<std::string>{});
}

TEST_F(HealthTest, the_best_sound_trial_replaces_a_damaged_winner) {
  tamper("UPDATE winners SET trial_id = 26, median_us = 1 WHERE study_id = 2");
  const auto store = std::move(*open_sqlite_store(path_, StoreAccess::read));
  EXPECT_EQ(store->best("")->back().trial.id, 25);
  EXPECT_EQ((*Archive::open(path_)->winner(2))->trial.id, 25);
  EXPECT_FALSE((*store->study(2))->best_us.has_value());
  EXPECT_EQ((*store->study(1))->best_us, 8);
}

TEST_F(HealthTest, a_damaged_playoff_decides_nothing) {
  tamper("UPDATE playoffs SET held_ms = 99");
  const auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
  EXPECT_FALSE(store->best("")->front().from_playoff);
  EXPECT_EQ(store->best("")->front().trial.objective, 9);
  EXPECT_FALSE(store->playoff(1)->has_value());
  // The stored winner follows with the next trial.
  ASSERT_TRUE(store->add_trial(1, 1, ok_trial({{"a", 77}, {"way", "one_pass"}}, 50, 9000)).ok());
  EXPECT_EQ((*store->study(1))->best_us, 9);
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
  tamper("UPDATE trials SET median_us = 1 WHERE id = 25; UPDATE trials SET config = '{' WHERE id IN (3, 27)");
  const auto common = *Archive::open(path_)->common(1, 2);
  EXPECT_EQ(common.configs.size(), 22u);
  EXPECT_EQ(common.damaged, 2);
}

TEST_F(HealthTest, a_damaged_trial_is_measured_again_and_never_becomes_the_winner) {
  tamper("UPDATE trials SET objective = 0.5, median_us = 0.5 WHERE id = 30");  // a=5 of the second study
  auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
  const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
  const Config sound{{"a", 6}, {"way", "one_pass"}}, damaged{{"a", 5}, {"way", "one_pass"}},
      added{{"a", 99}, {"way", "one_pass"}};
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
  EXPECT_EQ(findings(), (std::vector<std::string>{"winners 2: its checksum differs",
                                                  "study 2: its stored winner is damaged"}));
}

// A checksum that a damaged program or a hand computed. The search proposes what trials() leaves out.
TEST_F(HealthTest, a_trial_that_cannot_be_parsed_is_measured_again_whatever_its_checksum) {
  tamper_and_reseal("UPDATE trials SET metrics = '{' WHERE id = 30");  // a=5 of the second study
  auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
  const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
  EXPECT_EQ(store->trials(2)->size(), 23u);
  EXPECT_FALSE(*store->claim(2, session, Config{{"a", 6}, {"way", "one_pass"}}, std::chrono::minutes(1)));
  EXPECT_TRUE(*store->claim(2, session, Config{{"a", 5}, {"way", "one_pass"}}, std::chrono::minutes(1)));
}

TEST_F(HealthTest, an_index_that_differs_from_its_table_is_refused_before_a_run_writes) {
  add_trials(1);
  std::string damaged = bytes();
  const auto at = damaged.find(R"({"a":100,)");
  ASSERT_NE(at, damaged.npos);
  damaged[at + 7] = '8';
  write(scratch_ / "copy.db", damaged);
  const auto store = open_sqlite_store(scratch_ / "copy.db", StoreAccess::write);
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.error().message.find("missing from index trials_by_config"), std::string::npos)
      << store.error().message;
  EXPECT_NE(store.error().message.find("gktune db repair"), std::string::npos);
  EXPECT_TRUE(open_sqlite_store(scratch_ / "copy.db", StoreAccess::read).ok());
}

// In a file that is too large to compare its indexes before each run, which would wait without end for a
// trial that it may neither measure nor read.
TEST_F(HealthTest, a_trial_that_differs_from_its_index_is_claimed_unless_it_is_read) {
  add_trials(1);
  tamper_and_reseal("UPDATE trials SET message = printf('%.*c', 33 << 20, 'x') WHERE id = 1");
  const std::string whole = bytes(), config = R"({"a":100,"way":"one_pass"})";
  const Config stored{{"a", 100}, {"way", "one_pass"}}, other{{"a", 108}, {"way", "one_pass"}};
  const fs::path copy = scratch_ / "copy.db";
  int rows = 0, entries = 0;
  for (auto at = whole.find(config); at != whole.npos; at = whole.find(config, at + 1)) {
    constexpr char kLeafOfTable = 13;
    std::string damaged = whole;
    damaged[at + 7] = '8';
    write(copy, damaged);
    auto store = std::move(*open_sqlite_store(copy, StoreAccess::write));
    const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
    const auto trials = *store->trials(2);
    const auto is_known = [&](const Config& each) {
      return std::ranges::find(trials, each, &Trial::config) != trials.end();
    };
    for (const Config& each : {stored, other})
      EXPECT_TRUE(is_known(each) || *store->claim(2, session, each, std::chrono::minutes(1))) << each.str();
    const bool is_row = whole[at / 4096 * 4096] == kLeafOfTable;
    (is_row ? rows : entries) += 1;
    EXPECT_EQ(trials.size(), is_row ? 24 : 25);
    store.reset();
    for (const auto& suffix : {"", "-wal", "-shm"}) fs::remove(copy.string() + suffix);
  }
  EXPECT_EQ(rows, 1);
  EXPECT_EQ(entries, 1);
}

TEST_F(HealthTest, unreadable_figures_of_a_session_are_unknown_to_its_trials) {
  tamper_and_reseal("UPDATE sessions SET figures = '{'");
  const auto store = std::move(*open_sqlite_store(path_, StoreAccess::read));
  const auto trial = store->trial(3);
  ASSERT_TRUE(trial.ok()) << trial.error().message;
  EXPECT_FALSE((*trial)->device.has_value());
}

TEST_F(HealthTest, damaged_counts_of_a_study_do_not_hide_those_of_others) {
  tamper("UPDATE study_counts SET status = 'x' WHERE study_id = 1 AND is_current = 1");
  EXPECT_EQ(first_finding(), "study 1: the counts of its trials are wrong");
  const auto counts = Archive::open(path_)->counts();
  ASSERT_TRUE(counts.ok()) << counts.error().message;
  EXPECT_EQ(counts->at(2).current.at(Status::ok), 24);
}

TEST_F(HealthTest, many_findings_of_one_kind_do_not_hide_other_kinds) {
  fill_all_tables();
  tamper("UPDATE trials SET message = 'x'; UPDATE devices SET multiprocessors = 131;"
         "PRAGMA foreign_keys = OFF; DELETE FROM sessions");
  const auto all = findings();
  const auto has = [&](const std::string& finding) { return std::ranges::find(all, finding) != all.end(); };
  EXPECT_TRUE(has("trials 1: its checksum differs"));
  EXPECT_TRUE(has("… and 29 more like these"));
  EXPECT_TRUE(has("devices 1: its checksum differs"));
  EXPECT_TRUE(has("row 1 of winners refers to a missing row of sessions"));
}

TEST_F(HealthTest, a_missing_configuration_for_all_problems_is_found_where_its_sessions_have_ended) {
  tamper("DELETE FROM general_configs");  // the session is running, or was killed
  EXPECT_EQ(findings(), std::vector<std::string>{});
  fill_all_tables();
  EXPECT_EQ(findings(), std::vector<std::string>{});
  tamper("DELETE FROM general_configs");
  EXPECT_EQ(findings(), std::vector<std::string>{"general_configs reduce f1 1 cold time is missing"});
  ASSERT_TRUE(repair_database(path_, repaired_).ok());
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
}

TEST_F(HealthTest, each_row_that_refers_to_a_missing_one_is_named_by_its_table) {
  fill_all_tables();
  tamper("PRAGMA foreign_keys = OFF; DELETE FROM studies; DELETE FROM devices");
  const auto all = findings();
  EXPECT_EQ(std::ranges::count(all, ""), 0);
  EXPECT_GT(std::ranges::count(all, "a row of general_configs refers to a missing row of devices"), 0);
}

TEST_F(HealthTest, calls_exactly_those_files_repairable_that_repair_accepts) {
  struct Case {
    const char* sql;
    bool has_findings, is_repairable;
  };
  const fs::path copy = scratch_ / "copy.db";
  for (const auto& [sql, has_findings, is_repairable] :
       {Case{"SELECT 1", false, true},
        {"UPDATE trials SET message = 'x'", true, true},
        {"CREATE TRIGGER t AFTER INSERT ON trials BEGIN SELECT 1; END", true, true},
        {"DROP VIEW best_view; CREATE VIEW best_view AS SELECT 1", true, true},
        {"DROP INDEX trials_by_result", true, true},
        {"DROP TABLE finalists", true, true},
        {"PRAGMA foreign_keys = OFF; DROP TABLE devices", false, false},
        {"PRAGMA user_version = 99", false, false},
        {"PRAGMA application_id = 7", false, false}}) {
    for (const auto& path : {copy, repaired_}) fs::remove(path);
    bytes();  // empties the log
    fs::copy_file(path_, copy);
    sqlite::Database(copy, sqlite::Database::Access::create, std::chrono::seconds(1)).execute(sql);
    const auto health = check_database(copy);
    EXPECT_EQ(health.ok(), is_repairable) << sql;
    if (health.ok()) {
      EXPECT_EQ(health->is_repairable, has_findings) << sql;
      EXPECT_EQ(!health->findings.empty(), has_findings) << sql;
    } else {
      EXPECT_EQ(health.error().message.find("db repair"), std::string::npos) << health.error().message;
    }
    const auto repair = repair_database(copy, repaired_);
    EXPECT_EQ(repair.ok(), is_repairable) << sql;
    EXPECT_EQ(fs::exists(repaired_), is_repairable) << sql;
    if (repair.ok()) {
      EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{}) << sql;
    }
  }
}

// SQLite would end the run at the first trial: FOREIGN KEY constraint failed.
TEST_F(HealthTest, a_missing_row_that_others_refer_to_is_named_before_a_run_writes) {
  for (const char* table : {"sessions", "studies", "devices"}) {
    const fs::path copy = scratch_ / "copy.db";
    for (const auto& path : {copy, repaired_}) fs::remove(path);
    write(copy, bytes());
    sqlite::Database(copy, sqlite::Database::Access::create, std::chrono::seconds(1))
        .execute(std::string("PRAGMA foreign_keys = OFF; DELETE FROM ") + table + " WHERE id = 1");
    const auto store = open_sqlite_store(copy, StoreAccess::write);
    ASSERT_FALSE(store.ok());
    EXPECT_NE(store.error().message.find(std::string(" refers to a missing row of ") + table),
              std::string::npos)
        << store.error().message;
    EXPECT_NE(store.error().message.find("`gktune db repair --db " + copy.string() + "`"), std::string::npos);
    EXPECT_TRUE(open_sqlite_store(copy, StoreAccess::read).ok());
  }
}

TEST_F(HealthTest, a_value_of_another_kind_than_its_column_is_named_before_a_run_writes) {
  struct Case {
    const char *table, *rule, *change, *misfit;
  };
  const fs::path copy = scratch_ / "copy.db";
  for (const auto& [table, rule, change, misfit] :
       {Case{"trials", "'message TEXT NOT NULL', 'message TEXT'",
             "UPDATE trials SET message = NULL WHERE id = 7",
             "trials 7: its message is of the kind null, not text"},
        {"trials", "') STRICT', ')'", "UPDATE trials SET registers = 'many' WHERE id = 9",
         "trials 9: its registers is of the kind text, not integer"},
        {"sessions", "') STRICT', ')'", "UPDATE sessions SET driver = x'00'",
         "sessions 1: its driver is of the kind blob, not text"},
        {"spaces", "'matching TEXT NOT NULL', 'matching TEXT'", "UPDATE spaces SET matching = NULL",
         "a row of spaces: its matching is of the kind null, not text"}}) {
    for (const auto& path : {copy, repaired_}) fs::remove(path);
    fill_all_tables();
    write(copy, bytes());
    const std::string quoted =
        sqlite::Database(copy, sqlite::Database::Access::read, std::chrono::seconds(1))
            .text(std::string("SELECT quote(sql) FROM sqlite_schema WHERE name = '") + table + "'");
    // The rules of the table are away while the row is changed.
    const auto with_schema = [&](const std::string& statement) {
      sqlite::Database file(copy, sqlite::Database::Access::create, std::chrono::seconds(1));
      file.tolerate_damage();
      file.execute(statement);
    };
    with_schema("UPDATE sqlite_schema SET sql = replace(sql, " + std::string(rule) + ") WHERE name = '" +
                table + "'");
    with_schema(change);
    with_schema("UPDATE sqlite_schema SET sql = " + quoted + " WHERE name = '" + table + "'");
    const auto store = open_sqlite_store(copy, StoreAccess::write);
    ASSERT_FALSE(store.ok()) << change;
    EXPECT_EQ(store.error().message, copy.string() + ": damaged: " + misfit + "; `gktune db repair --db " +
                                         copy.string() + "` copies the readable rows to a new file");
    EXPECT_TRUE(check_database(copy)->is_repairable);
    ASSERT_TRUE(repair_database(copy, repaired_).ok());
    EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
    EXPECT_TRUE(open_sqlite_store(repaired_, StoreAccess::write).ok());
  }
}

TEST_F(HealthTest, a_file_that_is_not_a_database_is_an_error) {
  std::ofstream(scratch_ / "text.db") << "not a database";
  EXPECT_FALSE(check_database(scratch_ / "text.db").ok());
  EXPECT_FALSE(repair_database(scratch_ / "text.db", repaired_).ok());
  EXPECT_FALSE(repair_database(scratch_ / "none.db", repaired_).ok());
  EXPECT_FALSE(fs::exists(repaired_));
}

}  // namespace
}  // namespace gktune
