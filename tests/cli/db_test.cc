#include <gtest/gtest.h>

#include <filesystem>

#include "call.h"
#include "cli/output/json.h"
#include "db/sqlite/connection.h"
#include "tests/example_database.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tests/unprivileged.h"

namespace gktune {
namespace {

class Db : public ::testing::Test {
 protected:
  void SetUp() override { make_example_database(path_); }
  Call db(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "db");
    arguments.insert(arguments.end(), {"--db", path_});
    return call(arguments);
  }
  ScratchFolder folder_;
  std::string path_ = folder_.path("example.db");
};

TEST_F(Db, show_lists_the_finalists_first_and_agrees_with_best) {
  hold_example_playoff(path_);
  Call show = db({"show", "1"});
  EXPECT_EQ(show.out,
            "reduce element=int,n=1Mi on NVIDIA H200 (cold, objective: time)\n"
            "4 trials; failed: 1 launch_failed, 1 wrong_result\n"
            "winner: trial 1 with 11.0 µs in the playoff, 2 samples\n"
            "\n"
            "id     time      ±    GB/s  threadsPerBlock  way\n"
            " 1  11.0 µs  1.0 %  363636              128  one_pass\n"
            " 2  12.0 µs  1.0 %  333333              256  one_pass\n"
            "the first 2 were compared in the playoff and have its times\n");
  auto study = Json::parse(db({"show", "1", "--json"}).out);
  auto best = Json::parse(call({"best", "--json", "--db", path_}).out)[0];
  EXPECT_EQ(study["winner"]["id"], study["results"][0]["id"]);
  EXPECT_EQ(best["config"], study["results"][0]["config"]);
  EXPECT_EQ(best["time_us"], 11.0);
  EXPECT_EQ(best["time_us"], study["results"][0]["time_us"]["median"]);
  EXPECT_EQ(best["time_us"], study["best_us"]);
  EXPECT_EQ(best["samples"], 2);
  EXPECT_EQ(best["metrics"]["GB/s"], 4e6 / 11);
  EXPECT_TRUE(study["results"][1]["from_playoff"]);
}

TEST_F(Db, each_command_names_the_study_that_cannot_be_read) {
  sqlite::Connection(path_, sqlite::Connection::Access::create, std::chrono::seconds(1))
      .execute("UPDATE studies SET problem = '{\"n\":}' WHERE id = 2");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"ls"}, {"show", "1"}, {"rm", "3", "--dry-run"}}) {
    const Call each = db(arguments);
    EXPECT_EQ(each.code, ExitCode::failed) << arguments.front() << ": " << each.out;
    EXPECT_TRUE(contains(each.err, "study 2: not a JSON object of plain values: {\"n\":}"))
        << arguments.front() << ": " << each.err;
  }
}

// Studies of one problem that differ in regime or objective.
TEST_F(Db, export_writes_the_cold_regime_and_says_so_if_the_format_has_no_regimes) {
  {
    auto store = std::move(*Database::open(path_, Database::Access::write));
    const Problem small = {{"element", "int"}, {"n", 1 << 20}};
    const Study hot{"reduce", "f1", {"cuda", "NVIDIA H100", "sm_90", 132}, small, Regime::hot, "time"};
    ASSERT_TRUE(store->add_trial(*store->study_id(hot), 1, good_trial(32, 7, small)).ok());
  }
  const Call both = db({"export", "reduce@H100", "--format", "header"});
  EXPECT_TRUE(ended(both, ExitCode::done,
                    "left out 1 winner of other regimes or objectives: this format holds one winner for each "
                    "problem and device\n"
                    "  hint: name studies by their ids to export others\n"));
  EXPECT_EQ(both.out, db({"export", "3", "--format", "header"}).out);
  const Call hot = db({"export", "4", "--format", "header"});
  EXPECT_NE(both.out, hot.out);
  EXPECT_EQ(hot.err, "");
}

TEST(DbFile, in_an_unreadable_folder_is_not_called_missing) {
  ScratchFolder folder;
  const std::string database = folder.path("closed/a.db");
  folder.write("closed/a.db", "");
  std::filesystem::permissions(folder.path("closed"), std::filesystem::perms(0));
  {
    const Unprivileged somebody;
    EXPECT_TRUE(ended(call({"db", "ls", "--db", database}), ExitCode::failed,
                      "error: " + database + ": cannot be read: Permission denied\n"));
  }
  std::filesystem::permissions(folder.path("closed"), std::filesystem::perms(0755));
}

}  // namespace
}  // namespace gktune
