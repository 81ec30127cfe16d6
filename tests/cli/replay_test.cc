// gktune run on recordings: no hardware, no workers.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/call.h"
#include "tests/recording/compressed.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

const std::string kSaxpy = GKTUNE_SOURCE_DIR "/bench/recordings/saxpy-H200.json.gz";

class Replay : public testing::Test {
 protected:
  Call run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    Environment environment;
    environment.database = folder_.path("default.db");
    return call(arguments, environment);
  }
  nlohmann::json results_of(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--json", "--quiet"});
    const Call called = run(std::move(arguments));
    EXPECT_EQ(called.code, ExitCode::done) << called.err;
    return nlohmann::json::parse(called.out)["results"];
  }
  ScratchFolder folder_;
};

TEST_F(Replay, only_exhaustive_search_tries_all_configurations_without_a_limit) {
  const auto all = results_of({"--device", "replay:" + kSaxpy, "--strategy", "exhaustive"});
  EXPECT_EQ(all[0]["end"], "exhausted");
  EXPECT_EQ(all[0]["trials"], 3780);
  const auto some = results_of({"--device", "replay:" + kSaxpy, "--fresh", "--strategy", "random"});
  EXPECT_EQ(some[0]["end"], "converged");
  EXPECT_GE(some[0]["trials"], 60);
  EXPECT_LT(some[0]["trials"], 3780);
}

TEST_F(Replay, a_recording_is_searched_without_a_space_file) {
  const auto results =
      results_of({"--device", "replay:" + kSaxpy, "--trials", "60", "--strategy", "genetic"});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0]["kernel"], "saxpy");
  EXPECT_EQ(results[0]["device"], "NVIDIA H200");
  EXPECT_EQ(results[0]["problem"]["problem_size"], "n=268435456");
  EXPECT_EQ(results[0]["trials"], 60);
}

TEST_F(Replay, replayed_trials_are_stored_only_with_a_named_database) {
  results_of({"--device", "replay:" + kSaxpy, "--trials", "5"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "default.db"));
  results_of({"--device", "replay:" + kSaxpy, "--trials", "5", "--db", folder_.path("kept.db")});
  EXPECT_TRUE(std::filesystem::exists(folder_ / "kept.db"));
}

TEST_F(Replay, needs_no_place_for_temporary_files) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_EQ(results_of({"--device", "replay:" + kSaxpy, "--trials", "5"}).size(), 1u);
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}

TEST_F(Replay, the_database_of_a_replay_can_be_replayed) {
  const std::string database = folder_.path("kept.db");
  results_of({"--device", "replay:" + kSaxpy, "--trials", "30", "--strategy", "random", "--db", database});
  const auto results = results_of({"--device", "replay:" + database, "--strategy", "exhaustive"});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0]["trials"], 30);
}

TEST_F(Replay, the_time_limit_counts_the_recorded_time) {
  const auto few = results_of({"--device", "replay:" + kSaxpy, "--time", "1s", "--strategy", "random"});
  const auto many = results_of({"--device", "replay:" + kSaxpy, "--time", "4s", "--strategy", "random"});
  EXPECT_GT(few[0]["trials"], 3);
  EXPECT_LT(few[0]["trials"], 40);
  EXPECT_GT(many[0]["trials"].get<int>(), 2 * few[0]["trials"].get<int>());
}

TEST_F(Replay, the_same_seed_gives_the_same_run) {
  const auto run = [&](const std::string& seed) {
    return results_of({"--device", "replay:" + kSaxpy, "--trials", "40", "--strategy", "genetic", "--seed",
                       seed})[0]["best"]
        .dump();
  };
  EXPECT_EQ(run("3"), run("3"));
}

TEST_F(Replay, the_only_flag_narrows_the_search) {
  const auto results =
      results_of({"--device", "replay:" + kSaxpy, "--only", "threadsPerBlock=128,way=grid_stride", "--trials",
                  "20", "--strategy", "random"});
  EXPECT_EQ(results[0]["best"]["config"]["threadsPerBlock"], 128);
  EXPECT_EQ(results[0]["best"]["config"]["way"], "grid_stride");
}

TEST_F(Replay, a_space_file_is_searched_on_the_recording_of_its_kernel) {
  const auto results =
      results_of({std::string(GKTUNE_SOURCE_DIR) + "/spaces/saxpy.yaml", "--device", "replay:" + kSaxpy,
                  "--problem", "n=64Mi", "--trials", "200", "--strategy", "random"});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0]["kernel"], "saxpy");
  EXPECT_TRUE(results[0].contains("best"));
}

TEST_F(Replay, plain_and_compressed_t4_results_are_searched) {
  const std::string t4 = R"({"schema_version": "1.0.0", "results": [
    {"configuration": {"block": 64, "fast": true}, "invalidity": "correct", "objectives": ["time"],
     "times": {"compilation": 100}, "measurements": [{"name": "time", "value": 3, "unit": "ms"}]},
    {"configuration": {"block": 32, "fast": true}, "invalidity": "correct", "objectives": ["time"],
     "measurements": [{"name": "time", "value": 2, "unit": "ms"}]},
    {"configuration": {"block": 32, "fast": false}, "invalidity": "timeout"}]})";
  folder_.write("t4.json", t4);
  write_compressed(folder_.path("t4.json.gz"), t4);
  for (const char* name : {"t4.json", "t4.json.gz"}) {
    const auto results = results_of({"--device", "replay:" + folder_.path(name)});
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0]["trials"], 3);
    EXPECT_EQ(results[0]["failed"], (nlohmann::json{{"timed_out", 1}}));
    EXPECT_EQ(results[0]["best"]["config"], (nlohmann::json{{"block", 32}, {"fast", true}}));
    EXPECT_EQ(results[0]["best"]["time_us"]["median"], 2000);
  }
}

TEST_F(Replay, bad_recordings_are_errors) {
  folder_.write("bad.json", "{\"cache\": 3");
  for (const auto& [file, words] : {std::pair{"bad.json", "it is not JSON"}, {"none.json", "No such file"}}) {
    const Call called = run({"--device", "replay:" + folder_.path(file)});
    EXPECT_EQ(called.code, ExitCode::no_device);
    EXPECT_NE(called.err.find(words), std::string::npos) << called.err;
  }
  const Call nothing = run({"--device", "host"});
  EXPECT_EQ(nothing.code, ExitCode::usage);
  EXPECT_NE(nothing.err.find("SPACE is required"), std::string::npos);
  const Call setting = run({"--device", "replay:" + kSaxpy, "--strategy", "genetic", "--set", "population"});
  EXPECT_EQ(setting.code, ExitCode::usage);
  EXPECT_NE(setting.err.find("'population' is not NAME=VALUE"), std::string::npos);
}

TEST_F(Replay, an_external_program_searches_a_recording) {
  const Call called =
      run({"--device", "replay:" + kSaxpy, "--strategy", "external", "--set", "program=exit 4"});
  EXPECT_EQ(called.code, ExitCode::failed);
  EXPECT_NE(called.err.find("the program exited with code 4"), std::string::npos) << called.err;
}

}  // namespace
}  // namespace gktune
