#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "db/portfolio/portfolio.h"
#include "db/sqlite/database.h"
#include "db/store/health.h"
#include "db/store/sqlite_store.h"
#include "tests/db/example_study.h"
#include "tests/db/reseal.h"
#include "tests/scratch_folder.h"

namespace gktune {

namespace fs = std::filesystem;

// A database that tests damage.
class DamagedDatabase : public ::testing::Test {
 protected:
  // Two studies with 24 trials each, one of which was measured twice, and a playoff.
  void SetUp() override {
    auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
    const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
    for (const std::int64_t n : {1024, 2048}) {
      const auto study = *store->study_id(reduce_study(n));
      for (int i = 0; i < 24; ++i)
        ASSERT_TRUE(
            store->add_trial(study, session, ok_trial({{"a", i}, {"way", "one_pass"}}, 10 + i, 1000)).ok());
    }
    ASSERT_TRUE(store->add_trial(1, session, ok_trial({{"a", 0}, {"way", "one_pass"}}, 9, 2000)).ok());
    ASSERT_TRUE(store->add_playoff(1, session, {{ok_trial({{"a", 0}, {"way", "one_pass"}}, 8)}, 3000}).ok());
  }
  void tamper(const std::string& sql) const {
    sqlite::Database file(path_, sqlite::Database::Access::create, std::chrono::seconds(1));
    file.execute(sql);
  }
  void tamper_and_reseal(const std::string& sql) const {
    sqlite::Database file(path_, sqlite::Database::Access::create, std::chrono::seconds(1));
    file.execute(sql);
    reseal(file);
  }
  // A row for each table that SetUp leaves empty.
  void fill_all_tables() const {
    auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
    ASSERT_TRUE(store->describe_space("reduce", "f1", {{{"n", "exact"}}, {"a >= 0"}, {{"a", 1}}}).ok());
    ASSERT_TRUE(store->end_session(1).ok());
    Portfolio portfolio;
    portfolio.kernel = "reduce", portfolio.fingerprint = "f1", portfolio.objective = "time";
    portfolio.device = kH200;
    portfolio.configs = {{{"a", 1}, {"way", "one_pass"}}};
    portfolio.tree = {{"", {}, 0, 0, 0}};
    ASSERT_TRUE(store_portfolio(path_, portfolio).ok());
  }
  std::vector<std::string> findings() const {
    auto health = check_database(path_);
    EXPECT_TRUE(health.ok()) << health.error().message;
    return health.ok() ? health->findings : std::vector<std::string>{health.error().message};
  }
  static void write(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  // Further trials of the second study.
  void add_trials(int count) const {
    auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
    for (int i = 0; i < count; ++i)
      ASSERT_TRUE(
          store->add_trial(2, 1, ok_trial({{"a", 100 + i}, {"way", "one_pass"}}, 100 + i, 1000)).ok());
  }
  // The bytes of the file, which has no log then.
  std::string bytes() const {
    tamper("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string first_finding() const {
    const auto all = findings();
    return all.empty() ? "" : all.front();
  }

  ScratchFolder scratch_;
  fs::path path_ = scratch_ / "gktune.db", repaired_ = scratch_ / "repaired.db";
};

}  // namespace gktune
