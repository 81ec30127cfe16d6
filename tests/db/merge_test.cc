#include <gtest/gtest.h>

#include "db/database.h"
#include "db/sqlite/connection.h"
#include "tests/db/contents.h"
#include "tests/db/example_study.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

class Merge : public ::testing::Test {
 protected:
  std::unique_ptr<Database> open(const char* name) const {
    return std::move(*Database::open(scratch_ / name, Database::Access::write));
  }
  // A database of a host with two trials of one study, and a playoff.
  std::unique_ptr<Database> tuned_on(const char* host, double time_us, std::int64_t held_ms = 2000) const {
    auto database = open((std::string(host) + ".db").c_str());
    const auto session = *database->begin_session({"0.1.0", host, "gktune run", example_device()});
    const auto study = *database->study_id(reduce_study());
    const Trial quick = ok_trial({{"a", host}}, time_us), slow = ok_trial({{"a", 0}}, 100, 1100);
    EXPECT_TRUE(database->add_trial(study, session, slow).ok());
    EXPECT_TRUE(database->add_trial(study, session, quick).ok());
    EXPECT_TRUE(database->add_playoff(study, session, {{quick, slow}, held_ms}).ok());
    EXPECT_TRUE(database->describe_space("reduce", "f1", {{}, {"a != 7"}, {{"a", 0}}}).ok());
    EXPECT_TRUE(database->end_session(session).ok());
    return database;
  }
  ScratchFolder scratch_;
};

TEST_F(Merge, adds_what_is_missing_once_and_in_any_order) {
  tuned_on("east", 20), tuned_on("west", 10);
  auto first = open("first.db"), second = open("second.db");
  const Merged merged = *first->merge(scratch_ / "east.db");
  EXPECT_EQ(merged.sessions, 1);
  EXPECT_EQ(merged.studies, 1);
  EXPECT_EQ(merged.trials, 2);
  EXPECT_EQ(merged.playoffs, 1);
  ASSERT_TRUE(first->merge(scratch_ / "west.db").ok());
  for (const char* name : {"west.db", "east.db", "west.db", "first.db"})
    ASSERT_TRUE(second->merge(scratch_ / name).ok()) << name;
  EXPECT_EQ(contents_of(*first), contents_of(*second));
  const Merged again = *first->merge(scratch_ / "east.db");
  EXPECT_EQ(again.trials + again.sessions + again.studies + again.playoffs, 0);
  EXPECT_EQ(again.known_trials, 2);
  EXPECT_EQ(first->studies()->front().trials, 4);
}

TEST_F(Merge, adds_the_later_trials_of_a_known_session) {
  auto source = open("source.db");
  const auto session = *source->begin_session({"0.1.0", "box", "gktune run", example_device()});
  const auto study = *source->study_id(reduce_study());
  ASSERT_TRUE(source->add_trial(study, session, ok_trial({{"a", 1}}, 5)).ok());
  auto target = open("target.db");
  ASSERT_TRUE(target->merge(scratch_ / "source.db").ok());
  ASSERT_TRUE(source->add_trial(study, session, ok_trial({{"a", 2}}, 4)).ok());
  ASSERT_TRUE(source->end_session(session).ok());
  EXPECT_EQ(target->merge(scratch_ / "source.db")->trials, 1);
  EXPECT_EQ(*target->winners("")->front().trial.config.find("a"), Value(2));
  EXPECT_EQ(target->query("SELECT count(*) FROM sessions WHERE ended_ms IS NULL")->rows[0][0], Value(0));
}

TEST_F(Merge, reports_the_winners_that_changed) {
  auto east = tuned_on("east", 20);
  tuned_on("west", 10, 3000);  // the later playoff decides
  ASSERT_TRUE(open("west.db")->winner(1)->has_value());
  const Merged merged = *east->merge(scratch_ / "west.db");
  ASSERT_EQ(merged.changed_winners.size(), 1u);
  EXPECT_NE(merged.changed_winners[0].find("a=west instead of a=east"), std::string::npos)
      << merged.changed_winners[0];
}

TEST_F(Merge, keeps_the_portfolio_that_was_made_later) {
  const auto with_portfolio = [&](const char* host, std::int64_t made_ms) {
    auto database = tuned_on(host, 10);
    Portfolio portfolio;
    portfolio.kernel = "reduce", portfolio.fingerprint = "f1", portfolio.device = kH200;
    portfolio.objective = "time", portfolio.made_unix_ms = made_ms;
    portfolio.configs = {{{"a", made_ms}}};
    portfolio.tree.emplace_back();
    EXPECT_TRUE(database->store_portfolio(portfolio).ok());
    return database;
  };
  auto old = with_portfolio("old", 100);
  auto recent = with_portfolio("recent", 200);
  EXPECT_EQ(old->merge(scratch_ / "recent.db")->portfolios, 1);
  EXPECT_EQ(recent->merge(scratch_ / "old.db")->portfolios, 0);
  for (const auto* database : {&old, &recent})
    EXPECT_EQ((*database)->portfolios()->front().configs[0], (Config{{"a", 200}}));
}

TEST_F(Merge, a_slim_copy_has_the_same_winners_and_no_other_trial) {
  const auto full = tuned_on("east", 20);
  const fs::path slim = scratch_ / "slim.db";
  EXPECT_EQ(slim_database(scratch_ / "east.db", slim)->trials, 1);
  EXPECT_FALSE(fs::exists(slim.string() + "-wal"));
  const auto copy = open("slim.db");
  ASSERT_EQ(copy->winners("")->size(), 1u);
  EXPECT_EQ(copy->winners("")->front().trial.config, full->winners("")->front().trial.config);
  EXPECT_EQ(copy->query("SELECT count(*) FROM trials")->rows[0][0], Value(1));
  EXPECT_EQ(full->merge(slim)->trials, 0);
}

TEST_F(Merge, a_slim_copy_overwrites_no_file_and_leaves_no_part) {
  const fs::path slim = scratch_ / "slim.db";
  EXPECT_EQ(slim_database(scratch_ / "none.db", slim).error().message,
            (scratch_ / "none.db").string() + ": no such file");
  EXPECT_FALSE(fs::exists(slim));
  scratch_.write("slim.db", "hello");
  EXPECT_EQ(slim_database(scratch_ / "none.db", slim).error().message, slim.string() + ": exists; name a new file");
}

TEST_F(Merge, names_the_file_that_cannot_be_merged_and_adds_nothing) {
  auto target = tuned_on("east", 20);
  const std::string before = contents_of(*target);
  EXPECT_EQ(target->merge(scratch_ / "east.db").error().message,
            (scratch_ / "east.db").string() + ": is the database itself");
  EXPECT_EQ(target->merge(scratch_ / "none.db").error().message,
            (scratch_ / "none.db").string() + ": no such file");
  scratch_.write("text.db", "hello");
  EXPECT_EQ(target->merge(scratch_ / "text.db").error().message,
            (scratch_ / "text.db").string() + ": not a database of gktune");
  tuned_on("west", 10);
  sqlite::Connection(scratch_ / "west.db", sqlite::Connection::Access::create, std::chrono::seconds(1))
      .execute("CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM studies; END");
  EXPECT_FALSE(target->merge(scratch_ / "west.db").ok());
  EXPECT_EQ(contents_of(*target), before);
}

}  // namespace
}  // namespace gktune
