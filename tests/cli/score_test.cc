#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/call.h"
#include "tests/expectations.h"

namespace gktune {
namespace {

const std::string kRecording = GKTUNE_SOURCE_DIR "/bench/recordings/saxpy-H200.json.gz";

nlohmann::json scores_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "score");
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  const Call called = call(arguments);
  EXPECT_EQ(called.code, ExitCode::done) << called.err;
  return nlohmann::json::parse(called.out);
}

TEST(ScoreCommand, prints_a_line_for_each_recording_of_one_strategy) {
  const Call called = call({"score", kRecording, "--strategy", "random", "--repeats", "2", "--quiet"});
  EXPECT_TRUE(contains(printed_by(called), "recording"));
  EXPECT_TRUE(contains(called.out, "saxpy-H200"));
  EXPECT_FALSE(contains(called.out, "mean"));
}

TEST(ScoreCommand, prints_a_line_for_each_of_several_strategies_by_score) {
  const auto scores =
      scores_of({kRecording, "--strategy", "exhaustive", "--strategy", "genetic", "--repeats", "3"});
  ASSERT_EQ(scores["strategies"].size(), 2u);
  EXPECT_EQ(scores["strategies"][0]["strategy"], "genetic");
  EXPECT_EQ(scores["strategies"][1]["strategy"], "exhaustive");
  EXPECT_GT(scores["strategies"][0]["mean"]["score"], scores["strategies"][1]["mean"]["score"]);
}

TEST(ScoreCommand, one_seed_gives_the_same_scores_on_any_number_of_threads) {
  const auto score = [](const std::string& seed, const std::string& jobs) {
    return scores_of({kRecording, "--strategy", "genetic", "--repeats", "4", "--seed", seed, "--jobs", jobs,
                      "--in-flight", "4"})["strategies"][0]["mean"]["score"]
        .get<double>();
  };
  EXPECT_EQ(score("1", "1"), score("1", "3"));
  EXPECT_NE(score("1", "1"), score("2", "1"));
}

TEST(ScoreCommand, options_change_a_strategy) {
  const auto score = [](const std::string& population) {
    return scores_of({kRecording, "--strategy", "genetic", "--repeats", "3", "--set",
                      "population=" + population})["strategies"][0];
  };
  EXPECT_EQ(score("5")["options"]["population"], 5);
  EXPECT_NE(score("5")["mean"]["score"], score("40")["mean"]["score"]);
}

TEST(ScoreCommand, learns_from_a_related_recording) {
  const auto excess = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {kRecording, "--strategy", "bayes", "--repeats", "1"});
    return scores_of(arguments)["strategies"][0]["mean"]["excess_after_20"].get<double>();
  };
  // The best of the very same recording comes first.
  EXPECT_LT(excess({"--related", kRecording}), 0.005);
  EXPECT_GT(excess({}), excess({"--related", kRecording}));
}

TEST(ScoreCommand, an_external_program_that_fails_is_an_error) {
  EXPECT_TRUE(ended_with(call({"score", kRecording, "--strategy", "external", "--set", "program=exit 4",
                               "--repeats", "1", "--quiet"}),
                         ExitCode::failed, "external: the program exited with code 4"));
}

}  // namespace
}  // namespace gktune
