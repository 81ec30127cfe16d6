#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "db/database.h"
#include "db/sql/statement.h"
#include "db/sqlite/connection.h"
#include "tests/db/example_study.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class DatabaseFile : public ::testing::Test {
 protected:
  std::unique_ptr<Database> open(Database::Access access = Database::Access::write) const {
    return *Database::open(path_, access);
  }
  sqlite::Connection database() const {
    return {path_, sqlite::Connection::Access::read, std::chrono::seconds(1)};
  }

  ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_ / "gktune.db";
  std::unique_ptr<Database> store_ = open();
  std::int64_t session_ = *store_->begin_session({"0.1.0", "box", "gktune run x.yaml", example_device()});
  std::int64_t study_ = *store_->study_id(reduce_study());
};

TEST_F(DatabaseFile, a_session_and_a_number_identify_a_trial_in_any_database) {
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

TEST_F(DatabaseFile, a_configuration_that_json_cannot_hold_is_refused) {
  EXPECT_EQ(message_of(store_->add_trial(study_, session_,
                                         ok_trial({{"a", std::numeric_limits<double>::infinity()}}, 1))),
            path_.string() + ": configuration: a is inf, which cannot be stored");
  Study study = reduce_study();
  study.problem.set("share", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(store_->study_id(study).error().message,
            path_.string() + ": problem: share is nan, which cannot be stored");
  EXPECT_FALSE(store_->add_trial(study_, session_, ok_trial({{"a", std::string("b\0c", 3)}}, 1)).ok());
  EXPECT_TRUE(store_->trials(study_)->empty());
}

TEST_F(DatabaseFile, an_infinite_metric_is_read_back_as_not_a_number) {
  Trial trial = ok_trial({{"a", 1}}, 1);
  trial.metrics = {{"GB/s", std::numeric_limits<double>::infinity()}, {"x", 1.5}};
  ASSERT_TRUE(store_->add_trial(study_, session_, trial).ok());
  auto read = store_->trials(study_)->front().metrics;
  EXPECT_TRUE(std::isnan(read.find("GB/s")->real()));
  EXPECT_EQ(*read.find("x"), Value(1.5));
}

TEST_F(DatabaseFile, a_store_opened_for_reading_sees_new_trials_and_writes_nothing) {
  auto reader = open(Database::Access::read);
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", 1}}, 1)).ok());
  EXPECT_EQ(reader->trials(study_)->size(), 1u);
  EXPECT_FALSE(reader->add_trial(study_, session_, ok_trial({{"a", 2}}, 1)).ok());
  EXPECT_FALSE(reader->begin_session({}).ok());
}

TEST_F(DatabaseFile, a_file_that_is_removed_or_moved_is_an_error_and_no_trial_is_lost) {
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", 1}}, 5)).ok());
  const auto expect_recovered = [&](const std::string& name, std::size_t trials) {
    const auto copy = path_.string() + name;
    EXPECT_EQ(message_of(store_->add_trial(study_, session_,
                                           ok_trial({{"a", static_cast<std::int64_t>(trials)}}, 5))),
              path_.string() + ": was removed or replaced while in use; all its trials are in " + copy);
    auto recovered = Database::open(copy, Database::Access::write);
    EXPECT_EQ((*recovered)->trials(study_)->size(), trials);
  };
  std::filesystem::rename(path_, scratch_ / "moved.db");
  expect_recovered(".recovered", 2);
  std::filesystem::remove(scratch_ / "moved.db");
  expect_recovered(".recovered-2", 3);
  scratch_.write("gktune.db", "another file");
  expect_recovered(".recovered-3", 4);
}

TEST_F(DatabaseFile, a_file_that_is_removed_after_the_last_trial_is_an_error_at_the_end_of_the_session) {
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial({{"a", 1}}, 5)).ok());
  std::filesystem::remove(path_);
  const auto ended = store_->end_session(session_);
  ASSERT_FALSE(ended.ok());
  const auto copy = path_.string() + ".recovered";
  EXPECT_EQ(ended.error().message,
            path_.string() + ": was removed or replaced while in use; all its trials are in " + copy);
  auto recovered = Database::open(copy, Database::Access::read);
  EXPECT_EQ((*recovered)->trials(study_)->size(), 1u);
}

TEST_F(DatabaseFile, the_end_of_a_session_whose_trials_are_recovered_makes_no_second_copy) {
  std::filesystem::rename(path_, scratch_ / "moved.db");
  ASSERT_FALSE(store_->add_trial(study_, session_, ok_trial({{"a", 1}}, 5)).ok());
  EXPECT_TRUE(store_->end_session(session_).ok());
  EXPECT_TRUE(std::filesystem::exists(path_.string() + ".recovered"));
  EXPECT_FALSE(std::filesystem::exists(path_.string() + ".recovered-2"));
}

TEST_F(DatabaseFile, a_new_description_of_a_space_replaces_the_old_one) {
  ASSERT_TRUE(store_->describe_space("reduce", "f1", {{{"T", "exact"}}, {"a > 0"}, {{"a", 1}}}).ok());
  ASSERT_TRUE(store_->describe_space("reduce", "f1", {{}, {"a > 1", "a < 9"}, {{"a", 2}}}).ok());
  auto file = database();
  EXPECT_EQ(file.text("SELECT matching || constraints || default_config FROM spaces"),
            R"({}["a > 1","a < 9"]{"a":2})");
}

}  // namespace
}  // namespace gktune
