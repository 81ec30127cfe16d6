#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "tests/scratch_folder.h"
#include "tests/search/small_space.h"
#include "tuner/search/strategy.h"

namespace gktune {
namespace {

class ExternalSearch : public testing::Test {
 protected:
  std::unique_ptr<Searcher> make(const std::string& program, double timeout_s = 20) {
    return make_searcher(
               "external",
               {.space = space_, .seed = 3, .options = {{"program", program}, {"timeout", timeout_s}}})
        .value();
  }
  // A shell script that reads the space first. `body` handles the lines after that.
  std::unique_ptr<Searcher> make_script(const std::string& body, double timeout_s = 20) {
    folder_.write("search.sh", "read -r space\n" + body + "\n");
    return make("sh " + folder_.path("search.sh"), timeout_s);
  }

  Space space_ = checkered_space(4);
  ScratchFolder folder_;
};

TEST_F(ExternalSearch, proposals_come_from_the_program) {
  const auto searcher = make_script(R"(
read -r ask; echo '{"config": {"x": 1, "y": 3}}'
read -r ask; echo '{"config": {"y": 2.0, "x": 4}}'
read -r ask; echo '{"type": "done"}'
read -r rest)");
  EXPECT_EQ(searcher->ask(), (Config{{"x", 1}, {"y", 3}}));
  EXPECT_EQ(searcher->ask(), (Config{{"x", 4}, {"y", 2}}));
  EXPECT_EQ(searcher->ask(), std::nullopt);
  EXPECT_EQ(searcher->ask(), std::nullopt);
  EXPECT_EQ(searcher->failure(), std::nullopt);
}

TEST_F(ExternalSearch, the_program_reads_the_space_first) {
  const auto searcher = make("read -r space; echo \"$space\" > " + folder_.path("seen") +
                             "; read -r ask; echo '{\"type\": \"done\"}'");
  EXPECT_EQ(searcher->ask(), std::nullopt);
  std::ifstream file(folder_ / "seen");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(
      line,
      R"({"type":"space","parameters":[{"name":"x","values":[1,2,3,4]},{"name":"y","values":[1,2,3,4]}],)"
      R"("valid":"8","default":{"x":2,"y":4},"seed":3,"budget":{"trials":0,"seconds":0.0}})");
}

TEST_F(ExternalSearch, the_program_is_told_of_every_trial) {
  const auto searcher = make_script("read -r tell; echo \"$tell\" > " + folder_.path("told") +
                                    "; read -r ask; echo '{\"type\": \"done\"}'");
  searcher->tell({.config = {{"x", 1}, {"y", 3}},
                  .status = Status::compile_failed,
                  .message = "no such \"thing\"",
                  .compile_s = 0.5});
  EXPECT_EQ(searcher->ask(), std::nullopt);
  std::ifstream file(folder_ / "told");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line,
            R"({"type":"tell","config":{"x":1,"y":3},"status":"compile_failed",)"
            R"("message":"no such \"thing\"","objective":null,"time_us":null,"compile_s":0.5,"run_s":0.0})");
}

TEST_F(ExternalSearch, useless_proposals_are_refused_with_the_reason) {
  const auto searcher = make_script(R"(
read -r ask; echo '{"config": {"x": 1, "y": 2}}'; read -r reason; echo "$reason" > )" +
                                    folder_.path("reasons") + R"(
read -r ask; echo '{"config": {"x": 9, "y": 2}}'; read -r reason; echo "$reason" >> )" +
                                    folder_.path("reasons") + R"(
read -r ask; echo '{"config": {"x": 1}}'; read -r reason; echo "$reason" >> )" +
                                    folder_.path("reasons") + R"(
read -r ask; echo '{"config": {"x": 1, "y": 1, "z": 1}}'; read -r reason; echo "$reason" >> )" +
                                    folder_.path("reasons") + R"(
read -r ask; echo '{"config": {"x": 1, "y": 1}}'
read -r ask; echo '{"config": {"x": 1, "y": 1}}'; read -r reason; echo "$reason" >> )" +
                                    folder_.path("reasons") + R"(
read -r ask; echo '{"config": {"x": 2, "y": 2}}'; read -r rest)");
  EXPECT_EQ(searcher->ask(), (Config{{"x", 1}, {"y", 1}}));
  EXPECT_EQ(searcher->ask(), (Config{{"x", 2}, {"y", 2}}));
  const std::string text = contents_of(folder_ / "reasons");
  for (const char* reason :
       {"a constraint forbids it", "'x' cannot be 9", "'y' has no value",
        "it has a value for an unknown parameter", "it was proposed or measured before"}) {
    EXPECT_NE(text.find(reason), std::string::npos) << reason << " is not in " << text;
  }
}

TEST_F(ExternalSearch, a_program_that_repeats_one_proposal_ends_the_search) {
  const auto searcher = make_script(
      "while read -r line; do case $line in *ask*) echo '{\"config\": {\"x\": 1, \"y\": "
      "1}}';; esac; done");
  EXPECT_NE(searcher->ask(), std::nullopt);
  EXPECT_EQ(searcher->ask(), std::nullopt);
  EXPECT_EQ(searcher->failure(),
            "the program made 1000 useless proposals in a row, the last because it was proposed or measured "
            "before");
}

TEST_F(ExternalSearch, a_program_that_exits_ends_the_search) {
  const auto with_status = make_script("read -r ask; exit 3");
  EXPECT_EQ(with_status->ask(), std::nullopt);
  EXPECT_EQ(with_status->failure(), "the program exited with code 3");
  with_status->tell({.config = {{"x", 1}, {"y", 3}}, .objective = 1});
  EXPECT_EQ(with_status->ask(), std::nullopt);

  const auto by_signal = make("read -r space; kill -9 $$");
  EXPECT_EQ(by_signal->ask(), std::nullopt);
  EXPECT_EQ(by_signal->failure(), "the program was killed by SIGKILL");

  const auto missing = make("/no/such/program 2>/dev/null");
  EXPECT_EQ(missing->ask(), std::nullopt);
  EXPECT_EQ(missing->failure(), "the program exited with code 127");
}

TEST_F(ExternalSearch, a_program_that_hangs_is_ended_at_the_timeout) {
  const auto begin = std::chrono::steady_clock::now();
  {
    const auto searcher = make_script("sleep 600", 0.2);
    EXPECT_EQ(searcher->ask(), std::nullopt);
    EXPECT_EQ(searcher->failure(), "the program did not answer within 0.2 s");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(ExternalSearch, a_malformed_answer_ends_the_search) {
  for (const std::string line : {"hello", "[1]", "7", "{}", "{\"config\": 3}", "{\"config\": {", ""}) {
    const auto searcher = make_script("read -r ask; echo '" + line + "'; read -r rest");
    EXPECT_EQ(searcher->ask(), std::nullopt);
    EXPECT_EQ(searcher->failure(), "the program wrote '" + line + "', not a proposal");
  }
  const auto endless = make_script("head -c 3000000 /dev/zero; sleep 600");
  EXPECT_EQ(endless->ask(), std::nullopt);
  EXPECT_EQ(endless->failure(), "the program wrote a line without an end");
}

TEST_F(ExternalSearch, a_search_without_a_program_is_an_error) {
  const auto searcher = make("");
  EXPECT_EQ(searcher->ask(), std::nullopt);
  EXPECT_EQ(searcher->failure(),
            "its option 'program' is empty; give it a command, for example python3 search.py");
  EXPECT_EQ(make("true", -1)->failure(), "'timeout' is not a positive number of seconds");
}

TEST_F(ExternalSearch, the_example_finds_the_best_of_a_small_space) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  const Space space = checkered_space(12);
  const auto searcher =
      make_searcher("external",
                    {.space = space,
                     .options = {{"program", "python3 " GKTUNE_SOURCE_DIR "/examples/search/hill_climb.py"}}})
          .value();
  double least = 1e9;
  std::set<std::string> asked;
  while (auto config = searcher->ask()) {
    EXPECT_TRUE(asked.insert(config->json()).second);
    const double x = config->find("x")->number() - 5, y = config->find("y")->number() - 9;
    least = std::min(least, 1 + x * x + y * y);
    searcher->tell({.config = *config, .objective = 1 + x * x + y * y});
  }
  EXPECT_EQ(searcher->failure(), std::nullopt);
  EXPECT_EQ(asked.size(), 72u);
  EXPECT_EQ(least, 1);
}

}  // namespace
}  // namespace gktune
