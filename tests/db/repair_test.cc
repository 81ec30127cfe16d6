// Checks and repairs of damaged files.
#include <gtest/gtest.h>

#include <fstream>

#include "db/database.h"
#include "db/sqlite/connection.h"
#include "tests/db/example_study.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

class Repair : public ::testing::Test {
 protected:
  static constexpr std::size_t kPage = 4096;

  void SetUp() override {
    auto database = std::move(*Database::open(path_, Database::Access::write));
    const auto session = *database->begin_session({"0.1.0", "box", "gktune run", example_device()});
    const auto study = *database->study_id(reduce_study());
    for (int i = 0; i < 600; ++i)
      ASSERT_TRUE(database->add_trial(study, session, ok_trial({{"a", i}}, 10 + i, i)).ok());
    ASSERT_TRUE(database->add_playoff(study, session, {{ok_trial({{"a", 1}}, 9)}, 5000}).ok());
    ASSERT_TRUE(database->describe_space("reduce", "f1", {{}, {"a != 7"}, {{"a", 0}}}).ok());
  }
  std::string bytes() const { return contents_of(path_); }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  void execute(const std::string& sql) const {
    sqlite::Connection(path_, sqlite::Connection::Access::create, std::chrono::seconds(1)).execute(sql);
  }
  std::vector<std::string> findings() const {
    auto found = check_database(path_);
    return found ? *found : std::vector<std::string>{found.error().message};
  }
  std::size_t trials_of(const fs::path& path) const {
    auto database = Database::open(path, Database::Access::read);
    return (*database)->trials(1)->size();
  }

  ScratchFolder scratch_;
  fs::path path_ = scratch_ / "gktune.db", repaired_ = scratch_ / "repaired.db";
};

TEST_F(Repair, a_sound_database_has_no_findings_and_all_its_rows_are_kept) {
  EXPECT_EQ(findings(), std::vector<std::string>{});
  const auto kept = repair_database(path_, repaired_);
  EXPECT_EQ(kept->at("trials"), 600);
  EXPECT_EQ(kept->at("finalists"), 1);
  EXPECT_EQ(kept->at("spaces"), 1);
  EXPECT_EQ(trials_of(repaired_), 600u);
}

TEST_F(Repair, a_value_that_a_person_edited_is_no_damage) {
  execute("UPDATE trials SET median_us = 3 WHERE id = 4");
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

TEST_F(Repair, findings_name_pages_orphans_and_the_schema) {
  execute("PRAGMA foreign_keys = OFF; UPDATE trials SET study_id = 9 WHERE id = 4");
  EXPECT_EQ(findings(), std::vector<std::string>{"row 4 of trials refers to a missing row of studies"});
  execute("DROP VIEW trial_view");
  EXPECT_EQ(findings(), std::vector<std::string>{"its view trial_view is not that of schema " +
                                                 std::to_string(kSchemaVersion)});
  scratch_.write("gktune.db", "hello");
  EXPECT_EQ(findings(), std::vector<std::string>{path_.string() + ": not a database of gktune"});
}

// Each page in turn is overwritten: the other pages' rows are kept, and the repaired file is sound.
TEST_F(Repair, keeps_the_rows_of_all_other_pages) {
  const std::string whole = bytes();
  int repaired = 0, without_trials = 0;
  for (std::size_t at = kPage; at + kPage <= whole.size(); at += 3 * kPage) {
    std::string damaged = whole;
    damaged.replace(at, kPage, kPage, '\xa5');
    write(damaged);
    fs::remove(repaired_);
    const auto kept = repair_database(path_, repaired_);
    EXPECT_EQ(bytes(), damaged);
    if (!kept) continue;  // the page was one through which everything is found
    ++repaired;
    EXPECT_EQ(*check_database(repaired_), std::vector<std::string>{});
    if (kept->at("trials") < 500) ++without_trials;
  }
  EXPECT_GT(repaired, 15);
  EXPECT_LE(without_trials, 2);  // through one page all trials are found, through another their study
}

TEST_F(Repair, a_file_that_was_cut_keeps_its_beginning) {
  const std::string whole = bytes();
  write(whole.substr(0, whole.size() * 2 / 3));
  EXPECT_NE(findings(), std::vector<std::string>{});
  const auto kept = repair_database(path_, repaired_);
  EXPECT_GT(kept->at("trials"), 100);
}

TEST_F(Repair, overwrites_no_file) {
  scratch_.write("repaired.db", "mine");
  EXPECT_EQ(repair_database(path_, repaired_).error().message,
            repaired_.string() + ": exists; name a new file");
}

}  // namespace
}  // namespace gktune
