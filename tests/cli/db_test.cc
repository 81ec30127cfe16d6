#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "call.h"
#include "cli/output/json.h"
#include "db/sqlite/connection.h"
#include "tests/example_database.h"
#include "tests/expectations.h"
#include "tests/file_limit.h"
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

TEST_F(Db, ls_prints_a_line_for_each_study) {
  Call ls = db({"ls"});
  EXPECT_TRUE(ended(ls, ExitCode::done, ""));
  EXPECT_TRUE(
      contains(ls.out, "1  reduce  element=int,n=1Mi       4       2  10.0 µs  NVIDIA H200  cold    time"));
  EXPECT_TRUE(contains(ls.out, "2  reduce  element=int,n=1Gi       1       0   920 µs"));
}

TEST_F(Db, ls_as_json_can_be_read_back) {
  auto studies = Json::parse(db({"ls", "--json"}).out);
  ASSERT_EQ(studies.size(), 3u);
  EXPECT_EQ(studies[0]["kernel"], "reduce");
  EXPECT_EQ(studies[0]["problem"]["n"], 1 << 20);
  EXPECT_EQ(studies[0]["best_us"], 10.0);
}

TEST_F(Db, show_ranks_the_successful_trials) {
  EXPECT_EQ(printed_by(db({"show", "1"})),
            "reduce element=int,n=1Mi on NVIDIA H200 (cold, objective: time)\n"
            "4 trials; failed: 1 launch_failed, 1 wrong_result\n"
            "winner: trial 2 with 10.0 µs, 1 sample\n"
            "\n"
            "id     time      ±    GB/s  threadsPerBlock  way\n"
            " 2  10.0 µs  1.0 %  400000              256  one_pass\n"
            " 1  12.5 µs  1.0 %  320000              128  one_pass\n");
}

TEST_F(Db, show_failed_gives_the_reasons) {
  Call show = db({"show", "1", "--failed"});
  EXPECT_TRUE(
      contains(show.out, " 3  wrong_result   threadsPerBlock=512 way=one_pass   3 of 7 elements differ\n"));
}

TEST_F(Db, show_says_that_a_limit_hides_trials) {
  Call show = db({"show", "1", "--limit", "1"});
  EXPECT_FALSE(contains(show.out, "12.5"));
  EXPECT_EQ(show.err, "  hint: --limit 0 shows all 2\n");
  EXPECT_EQ(db({"show", "1", "--limit", "2"}).err, "");
  EXPECT_EQ(db({"show", "1", "--limit", "0"}).err, "");
}

TEST_F(Db, show_also_limits_the_studies_in_every_format) {
  const std::string all = "  hint: --limit 0 shows all 3 studies\n";
  const Call text = db({"show", "reduce", "--limit", "2"});
  EXPECT_TRUE(contains(text.out, "n=1Gi"));
  EXPECT_FALSE(contains(text.out, "H100"));
  EXPECT_EQ(text.err, all);
  const Call json = db({"show", "reduce", "--limit", "2", "--json"});
  EXPECT_EQ(Json::parse(json.out).size(), 2u);
  EXPECT_EQ(json.err, all);
  EXPECT_EQ(db({"show", "reduce", "--limit", "1", "--csv"}).err, all);
  EXPECT_EQ(db({"show", "reduce", "--limit", "1", "--importance"}).err, all);
  EXPECT_EQ(Json::parse(db({"show", "reduce", "--limit", "0", "--json"}).out).size(), 3u);
  EXPECT_EQ(db({"show", "reduce", "--limit", "3", "--json"}).err, "");
}

TEST_F(Db, show_prints_the_trials_as_json) {
  auto study = Json::parse(db({"show", "1", "--json", "--failed"}).out);
  ASSERT_EQ(study["results"].size(), 2u);
  EXPECT_EQ(study["results"][0]["id"], 3);
  EXPECT_EQ(study["results"][0]["status"], "wrong_result");
  EXPECT_EQ(study["results"][0]["message"], "3 of 7 elements differ\nthe first at 2");
}

TEST_F(Db, show_accepts_the_name_of_a_kernel_and_shows_all_its_studies) {
  Call show = db({"show", "reduce"});
  EXPECT_EQ(printed_by(show),
            db({"show", "1"}).out + "\n" + db({"show", "2"}).out + "\n" + db({"show", "3"}).out);
  auto studies = Json::parse(db({"show", "reduce", "--json"}).out);
  ASSERT_EQ(studies.size(), 3u);
  EXPECT_EQ(studies[2], Json::parse(db({"show", "3", "--json"}).out));
}

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

TEST_F(Db, unknown_values_are_null_in_json) {
  auto study = Json::parse(db({"show", "1", "--json"}).out);
  EXPECT_TRUE(study["results"][0]["resources"]["registers"].is_null());
  EXPECT_TRUE(study["results"][0]["resources"]["occupancy"].is_null());
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

TEST(DbExport, every_format_for_applications_names_stale_winners) {
  ScratchFolder folder;
  const std::string stale = folder.path("stale.db");
  make_stale_database(stale);
  for (const std::string format : {"header", "flags"}) {
    const Call each = call({"db", "export", "reduce/n=1Mi", "--format", format, "--db", stale});
    EXPECT_EQ(each.code, ExitCode::done) << format << ": " << each.err;
    EXPECT_TRUE(contains(
        each.err, "warning: reduce/n=1Mi@NVIDIA H200 is stale: the driver was 550.54 then and is 580.65 now"))
        << format << ": " << each.err;
    EXPECT_EQ(call({"db", "export", "reduce/n=1Gi", "--format", format, "--db", stale}).err, "") << format;
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
  for (const std::string format : {"header"}) {
    const Call both = db({"export", "reduce@H100", "--format", format});
    EXPECT_TRUE(
        ended(both, ExitCode::done,
              "left out 1 winner of other regimes or objectives: this format holds one winner for each "
              "problem and device\n"
              "  hint: name studies by their ids to export others\n"));
    EXPECT_EQ(both.out, db({"export", "3", "--format", format}).out);
    EXPECT_NE(both.out, db({"export", "4", "--format", format}).out);
    EXPECT_EQ(db({"export", "4", "--format", format}).err, "");
  }
}

TEST_F(Db, a_word_that_names_no_kernel_selects_nothing) {
  for (const std::string command : {"rm", "export", "show"}) {
    for (const std::string word : {"", "@", "@H200", "/n=1Mi"}) {
      if (command == "show" && word.empty()) continue;  // as if it were left out
      std::vector<std::string> words = {command, word};
      if (command == "rm") words.emplace_back("--dry-run");
      const Call each = db(words);
      EXPECT_EQ(each.code, ExitCode::failed) << command << " '" << word << "': " << each.out;
      EXPECT_TRUE(each.err.starts_with("error: '" + word +
                                       "' names no kernel; write KERNEL[/AXIS=VALUE,…][@DEVICE]\n"))
          << command << ": " << each.err;
    }
  }
}

TEST_F(Db, a_failed_export_does_not_change_an_older_file) {
  {
    auto store = std::move(*Database::open(path_, Database::Access::write));
    Trial trial = good_trial(96, 1);
    for (int i = 0; i < 5'000; ++i) trial.metrics.set("metric " + std::to_string(i), 11.125);
    ASSERT_TRUE(store->add_trial(1, 1, trial).ok());
  }
  const std::string file = folder_.path("all.json");
  std::ofstream(file) << "older\n";
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& each : std::filesystem::directory_iterator(folder_.path("")))
      names.insert(each.path().filename());
    return names;
  };
  EXPECT_EQ(db({"export", "1", "--format", "kernel-tuner"}).code, ExitCode::done);
  const auto before = files();
  {
    const FileLimit limit(100'000);  // as on a disk that is full
    const Call failed = db({"export", "1", "--format", "kernel-tuner", "-o", file});
    EXPECT_TRUE(ended(
        failed, ExitCode::failed,
        "error: cannot write " + file + ": File too large: no file may exceed 100000 bytes (ulimit -f)\n"));
  }
  EXPECT_EQ(contents_of(file), "older\n");
  EXPECT_EQ(files(), before);
  EXPECT_EQ(db({"export", "1", "--format", "kernel-tuner", "-o", file}).code, ExitCode::done);
  EXPECT_TRUE(contains(contents_of(file), "11.125"));
  const Call to_device = db({"export", "1", "--format", "kernel-tuner", "-o", "/dev/full"});
  EXPECT_TRUE(ended(to_device, ExitCode::failed, "error: cannot write /dev/full: No space left on device\n"));
  EXPECT_EQ(db({"export", "1", "--format", "kernel-tuner", "-o", folder_.path("none/all.json")}).err,
            "error: cannot write " + folder_.path("none/all.json") + ": No such file or directory\n");
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

TEST(DbFile, an_error_says_how_to_make_a_missing_database) {
  ScratchFolder folder;
  Environment environment;
  environment.database = folder.path("none.db");
  EXPECT_TRUE(ended(call({"db", "ls"}, environment), ExitCode::failed,
                    "error: no database " + environment.database.string() +
                        "\n  hint: gktune run SPACE creates one; --db or $GKTUNE_DB names another\n"));
  EXPECT_FALSE(std::filesystem::exists(environment.database));
}

TEST(DbFile, a_file_that_is_not_a_database_is_an_error) {
  ScratchFolder folder;
  std::ofstream(folder.path("notes.db")) << "not a database, but long enough to be looked at as one\n";
  Call ls = call({"db", "ls", "--db", folder.path("notes.db")});
  EXPECT_EQ(ls.code, ExitCode::failed);
  EXPECT_TRUE(ls.err.starts_with("error: ")) << ls.err;
}

TEST(DbFile, a_message_says_that_a_database_is_empty) {
  ScratchFolder folder;
  ASSERT_TRUE(Database::open(folder.path("empty.db"), Database::Access::write).ok());
  Call ls = call({"db", "ls", "--db", folder.path("empty.db")});
  EXPECT_EQ(ls.out, "");
  EXPECT_TRUE(ended(ls, ExitCode::done, "the database is empty\n  hint: gktune run SPACE adds studies\n"));
}

}  // namespace
}  // namespace gktune
