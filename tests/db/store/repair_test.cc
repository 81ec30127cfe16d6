#include "db/store/repair.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "db/sqlite/database.h"
#include "db/sqlite/statement.h"
#include "db/store/health.h"
#include "db/store/sqlite_store.h"
#include "tests/db/store/damaged_database.h"

namespace gktune {
namespace {

class RepairTest : public DamagedDatabase {};

TEST_F(RepairTest, repair_reads_databases_of_earlier_versions) {
  for (const char* name : {"version_1.db", "version_2.db", "version_3.db", "version_4.db"}) {
    fs::remove(repaired_);
    const auto repair = repair_database(fs::path(GKTUNE_SOURCE_DIR "/tests/db") / name, repaired_);
    ASSERT_TRUE(repair.ok()) << repair.error().message;
    for (const auto& [table, rows] : repair->tables) EXPECT_EQ(rows.lost, 0) << name << ", " << table;
    EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{}) << name;
  }
}

TEST_F(RepairTest, repair_of_a_good_database_keeps_every_row) {
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

TEST_F(RepairTest, repair_loses_only_the_damaged_row_and_uses_an_earlier_one) {
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

TEST_F(RepairTest, repair_drops_a_damaged_study_with_its_trials_and_says_so) {
  tamper_and_reseal("UPDATE studies SET problem = '{\"n\":' WHERE id = 1");
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

TEST_F(RepairTest, repair_leaves_out_a_damaged_device_and_all_that_depends_on_it) {
  fill_all_tables();
  {
    auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
    ASSERT_TRUE(
        store->add_trial(*store->study_id(reduce_study(1024, kCpu)), 1, ok_trial({{"a", 1}}, 5)).ok());
  }
  tamper("UPDATE devices SET name = 'NVIDIA H100' WHERE id = 1");
  const Repair repair = *repair_database(path_, repaired_);
  EXPECT_EQ(repair.findings.front(), "devices 1: its checksum differs");
  const auto rows = [&](const char* table) {
    return std::pair(repair.tables.at(table).kept, repair.tables.at(table).lost);
  };
  EXPECT_EQ(rows("devices"), std::pair(std::int64_t{1}, std::int64_t{1}));
  EXPECT_EQ(rows("studies"), std::pair(std::int64_t{1}, std::int64_t{2}));
  EXPECT_EQ(rows("trials"), std::pair(std::int64_t{1}, std::int64_t{49}));
  EXPECT_EQ(rows("portfolios"), std::pair(std::int64_t{0}, std::int64_t{1}));
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
}

TEST_F(RepairTest, repair_keeps_the_trials_but_not_the_environment_of_a_damaged_session) {
  tamper("UPDATE sessions SET driver = '999.9', figures = '{}'");
  const Repair repair = *repair_database(path_, repaired_);
  EXPECT_EQ(repair.findings, (std::vector<std::string>{"sessions 1: its checksum differs",
                                                       "sessions 1 was completed from an index"}));
  EXPECT_EQ(repair.tables.at("trials").kept, 49);
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
  sqlite::Database file(repaired_, sqlite::Database::Access::read, std::chrono::seconds(1));
  EXPECT_EQ(file.text("SELECT driver || host_name || command_line || coalesce(figures, '') FROM sessions"),
            "");
}

TEST_F(RepairTest, repair_leaves_out_damaged_spaces_playoffs_and_portfolios) {
  fill_all_tables();
  tamper(
      "UPDATE spaces SET default_config = '{\"a\":3}'; UPDATE playoffs SET held_ms = 99; UPDATE portfolios "
      "SET body = replace(body, '1', '2')");
  const Repair repair = *repair_database(path_, repaired_);
  for (const char* table : {"spaces", "playoffs", "portfolios", "finalists"})
    EXPECT_EQ(repair.tables.at(table).lost, 1) << table;
  EXPECT_EQ(repair.tables.at("trials").lost, 0);
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
}

// A byte of the row changes, or the same byte in an index. The one mends the other.
TEST_F(RepairTest, repair_loses_no_row_to_a_changed_byte_of_a_device_or_a_study) {
  const std::string whole = bytes();
  const fs::path damaged = scratch_ / "damaged.db";
  int rows = 0;
  for (const std::string text : {"NVIDIA H200", "{\"T\":\"float\",\"n\":2048}"}) {
    for (auto at = whole.find(text); at != whole.npos; at = whole.find(text, at + 1)) {
      std::string changed = whole;
      changed[at + text.size() - 2] ^= 1;
      write(damaged, changed);
      fs::remove(repaired_);
      const auto checked = check_database(damaged);
      ASSERT_TRUE(checked.ok()) << checked.error().message;
      EXPECT_FALSE(checked->findings.empty()) << text << " at " << at;
      const bool is_row = std::ranges::any_of(checked->findings, [](const std::string& finding) {
        return finding.ends_with(": its checksum differs");
      });
      rows += is_row ? 1 : 0;
      const Repair repair = *repair_database(damaged, repaired_);
      for (const auto& [name, counts] : repair.tables)
        EXPECT_EQ(counts.lost, 0) << name << ", " << text << " at " << at;
      EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
      const auto studies = *(*open_sqlite_store(repaired_, StoreAccess::read))->studies();
      ASSERT_EQ(studies.size(), 2u);
      EXPECT_EQ(studies[1].study.device, kH200);
      EXPECT_EQ(studies[1].study.problem, reduce_study(2048).problem);
    }
  }
  EXPECT_EQ(rows, 2);
}

TEST_F(RepairTest, repair_leaves_out_unreadable_figures_and_spaces) {
  fill_all_tables();
  tamper_and_reseal("UPDATE sessions SET figures = '{'; UPDATE spaces SET matching = '{'");
  const Repair repair = *repair_database(path_, repaired_);
  EXPECT_EQ(repair.tables.at("trials").kept, 49);
  EXPECT_EQ(repair.tables.at("spaces").lost, 1);
  EXPECT_EQ(repair.tables.at("spaces").kept, 0);
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
}

TEST_F(RepairTest, a_repaired_session_without_a_uuid_gets_a_new_one) {
  tamper("UPDATE sessions SET uuid = ''");
  const Repair repair = *repair_database(path_, repaired_);
  EXPECT_EQ(repair.tables.at("trials").kept, 49);
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
  sqlite::Database file(repaired_, sqlite::Database::Access::read, std::chrono::seconds(1));
  EXPECT_NE(file.text("SELECT uuid FROM sessions"), "");
}

// The table of spaces has leaves and rows that go on in further pages; both kinds of pages are damaged.
TEST_F(RepairTest, damaged_pages_of_spaces_cost_the_spaces_in_them_alone) {
  constexpr int kKernels = 40;
  constexpr char kLeafOfIndex = 10;  // a table without row ids is stored as an index
  for (const std::size_t size : {700u, 9000u}) {
    fs::remove(path_);
    {
      auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
      const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
      for (int i = 0; i < kKernels; ++i) {
        Study study = reduce_study(64);
        study.kernel = "kernel_" + std::to_string(100 + i);
        ASSERT_TRUE(store->add_trial(*store->study_id(study), session, ok_trial({{"a", 1}}, 5)).ok());
        const std::string constraint = "a >= 0" + std::string(size, ' ');
        ASSERT_TRUE(
            store->describe_space(study.kernel, study.fingerprint, {{}, {constraint}, {{"a", 1}}}).ok());
      }
    }
    const std::string whole = bytes(), blanks(400, ' ');
    std::vector<std::size_t> pages;
    for (std::size_t at = 4096; at < whole.size(); at += 4096) {
      const std::string page = whole.substr(at, 4096);
      if (page.find(blanks) != page.npos && (page[0] == kLeafOfIndex || page[0] == 0)) pages.push_back(at);
    }
    ASSERT_GE(pages.size(), 5u);
    for (std::size_t step = 1; step < 4; ++step) {
      std::string damaged = whole;
      int count = 0;
      for (std::size_t i = 1; i + 1 < pages.size(); i += 2 * step, ++count)
        damaged.replace(pages[i], 4096, 4096, '\xa5');
      write(scratch_ / "damaged.db", damaged);
      fs::remove(repaired_);
      const Repair repair = *repair_database(scratch_ / "damaged.db", repaired_);
      // Up to five rows are in a page, and one more in the page above it.
      EXPECT_GE(repair.tables.at("spaces").kept, kKernels - count * (size < 4096 ? 6 : 2))
          << size << ", " << count << " pages";
      EXPECT_LT(repair.tables.at("spaces").kept, kKernels);
      EXPECT_GT(repair.tables.at("spaces").lost, 0);
      EXPECT_EQ(repair.tables.at("trials").lost, 0);
      EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
    }
  }
}

// The pages of the file that hold trials.
std::vector<std::size_t> pages_of_trials(const std::string& file) {
  constexpr char kLeafOfTable = 13;
  std::vector<std::size_t> pages;
  for (std::size_t at = 4096; at < file.size(); at += 4096) {
    const std::string page = file.substr(at, 4096);
    if (page[0] == kLeafOfTable && page[4] > 4 && page.find("one_pass") != page.npos) pages.push_back(at);
  }
  return pages;
}

TEST_F(RepairTest, several_damaged_pages_cost_the_trials_in_them_alone) {
  add_trials(600);
  const std::string whole = bytes();
  const auto pages = pages_of_trials(whole);
  ASSERT_GT(pages.size(), 20u);
  std::string damaged = whole;
  std::int64_t rows = 0;
  for (const std::size_t i :
       {std::size_t{0}, std::size_t{3}, std::size_t{4}, std::size_t{9}, pages.size() - 1}) {
    rows += whole[pages[i] + 4];
    damaged.replace(pages[i], 4096, 4096, '\xa5');
  }
  write(scratch_ / "damaged.db", damaged);
  const Repair repair = *repair_database(scratch_ / "damaged.db", repaired_);
  EXPECT_EQ(repair.tables.at("trials").lost, rows);
  EXPECT_EQ(repair.tables.at("trials").kept, 649 - rows);
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
}

TEST_F(RepairTest, a_misplaced_page_costs_the_trials_of_the_page_that_it_replaced) {
  add_trials(600);
  const std::string whole = bytes();
  const auto pages = pages_of_trials(whole);
  std::string damaged = whole;
  damaged.replace(pages[8], 4096, whole, pages[2], 4096);
  damaged.replace(pages[9], 4096, 4096, '\xa5');
  write(scratch_ / "damaged.db", damaged);
  const Repair repair = *repair_database(scratch_ / "damaged.db", repaired_);
  EXPECT_EQ(repair.tables.at("trials").lost, whole[pages[8] + 4] + whole[pages[9] + 4]);
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
}

// The index that lists the trials is damaged too.
TEST_F(RepairTest, trials_behind_a_damaged_page_need_no_index) {
  add_trials(600);
  const auto root = [&](const std::string& name) {
    sqlite::Database file(path_, sqlite::Database::Access::read, std::chrono::seconds(1));
    return file.integer("SELECT rootpage FROM sqlite_schema WHERE name = '" + name + "'");
  };
  std::string damaged = bytes();
  const auto index = static_cast<std::size_t>(root("sqlite_autoindex_trials_1") - 1) * 4096;
  damaged.replace(index, 4096, 4096, '\xa5');
  for (std::size_t at = 4096; at < damaged.size(); at += 4096) {
    const std::string page = damaged.substr(at, 4096);
    if (page[0] != 13 || page.find("\"a\":100,") == page.npos) continue;
    damaged.replace(at, 4096, 4096, '\xa5');
    break;
  }
  write(scratch_ / "damaged.db", damaged);
  const Repair repair = *repair_database(scratch_ / "damaged.db", repaired_);
  EXPECT_GE(repair.tables.at("trials").kept, 600);
  EXPECT_LT(repair.tables.at("trials").kept, 649);
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
}

TEST_F(RepairTest, a_file_that_was_cut_is_repaired_as_far_as_it_is_readable_or_refused) {
  add_trials(2000);
  const std::string whole = bytes();
  const fs::path cut = scratch_ / "cut.db";
  std::int64_t kept = 2049;
  for (const std::size_t size :
       {whole.size() * 3 / 4, whole.size() / 2, whole.size() / 4, std::size_t{40000}, std::size_t{4097},
        std::size_t{2000}, std::size_t{101}, std::size_t{100}, std::size_t{50}}) {
    write(cut, whole.substr(0, size));
    fs::remove(repaired_);
    const auto repair = repair_database(cut, repaired_);
    const auto health = check_database(cut);
    EXPECT_EQ(repair.ok(), health.ok()) << size;
    EXPECT_EQ(repair.ok(), size >= whole.size() / 4) << size;
    if (repair.ok()) {
      EXPECT_TRUE(health->is_repairable);
      EXPECT_LT(repair->tables.at("trials").kept, kept) << size;
      kept = repair->tables.at("trials").kept;
      EXPECT_GT(kept, 20) << size;
      EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
    } else {
      EXPECT_NE(repair.error().message, "");
      EXPECT_EQ(repair.error().message.find("db repair"), std::string::npos) << repair.error().message;
      EXPECT_FALSE(fs::exists(repaired_));
    }
  }
}

TEST_F(RepairTest, trials_of_a_missing_session_stay) {
  tamper("PRAGMA foreign_keys = OFF; DELETE FROM sessions");
  const Repair repair = *repair_database(path_, repaired_);
  EXPECT_EQ(repair.tables.at("trials").kept, 49);
  EXPECT_EQ(repair.tables.at("playoffs").kept, 1);
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
}

TEST_F(RepairTest, repair_keeps_the_latest_of_several_current_trials_of_a_configuration) {
  tamper(
      "DROP INDEX trials_by_config; UPDATE trials SET is_current = 1 WHERE id = 1;"
      "UPDATE trials SET is_current = 65 WHERE id = 30");
  const Repair repair = *repair_database(path_, repaired_);
  EXPECT_EQ(repair.tables.at("trials").kept, 49);
  EXPECT_EQ(check_database(repaired_)->findings, std::vector<std::string>{});
  sqlite::Database file(repaired_, sqlite::Database::Access::read, std::chrono::seconds(1));
  EXPECT_EQ(file.integer("SELECT group_concat(id, '') FROM trials WHERE is_current = 0"), 1);
  EXPECT_EQ(file.integer("SELECT is_current FROM trials WHERE id = 30"), 1);
}

// Overwrites each page of the file in turn. Rows outside the page survive, and nothing that is wrong does.
TEST_F(RepairTest, repair_loses_only_the_rows_on_a_damaged_page) {
  const std::string whole = bytes();
  const fs::path damaged = scratch_ / "damaged.db";
  std::size_t rescued = 0, pages = 0, of_schema = 0;
  for (std::size_t at = 4096; at < whole.size(); at += 4096, ++pages) {
    {
      std::string changed = whole;
      changed.replace(at, 4096, 4096, pages % 2 == 0 ? '\0' : '\xa5');
      write(damaged, changed);
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

}  // namespace
}  // namespace gktune
