// gktune db show --importance.
#include <gtest/gtest.h>

#include <cmath>

#include "call.h"
#include "cli/output/json.h"
#include "tests/example_database.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class Importance : public ::testing::Test {
 protected:
  void SetUp() override { make_example_database(path_); }
  Call show(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"db", "show", "--db", path_, "--importance"});
    return call(arguments);
  }
  ScratchFolder folder_;
  std::string path_ = folder_.path("example.db");
};

// Study 4: 60 configurations; the way explains most, n the rest.
void add_study(const std::string& path) {
  auto store = Database::open(path, Database::Access::write);
  const auto session = (*store)->begin_session({"0.1.0", "here", "gktune run scale.yaml", {}});
  const auto study =
      (*store)->study_id({"scale", "f1", {"cuda", "NVIDIA H200", "sm_90", 132}, {}, Regime::cold, "time"});
  for (int n = 0; n < 20; ++n) {
    for (const std::string way : {"fast", "middling", "slow"}) {
      Trial trial = good_trial(0, 10 * std::exp(0.01 * n + (way == "slow" ? 1 : way == "fast" ? 0 : 0.02)));
      trial.config = {{"n", n}, {"way", way}};
      ASSERT_TRUE((*store)->add_trial(*study, *session, trial).ok());
    }
  }
  for (int n = 20; n < 23; ++n) {
    Trial trial = bad_trial(0, Status::wrong_result, std::to_string(n) + " elements differ\nthe first at 2");
    trial.config = {{"n", n}, {"way", "fast"}};
    ASSERT_TRUE((*store)->add_trial(*study, *session, trial).ok());
  }
}

TEST_F(Importance, shows_the_effects_of_parameters_and_the_causes_of_failures) {
  add_study(path_);
  const Call shown = show({"scale"});
  EXPECT_EQ(shown.code, ExitCode::done) << shown.err;
  std::string text = shown.out;
  const std::string begin = "the model explains ";
  text.replace(text.find(begin) + begin.size(),
               text.find(" % of the variance of the fifth") - text.find(begin) - begin.size(), "<*>");
  EXPECT_EQ(text,
            "scale on NVIDIA H200 (cold, objective: time)\n"
            "63 trials; failed: 3 wrong_result\n"
            "\n"
            "share of the variance of log time\n"
            "parameter                        share\n"
            "way                             98.5 %  ███████████████████▊\n"
            "n                                1.5 %  ▎\n"
            "three and more together, noise   0.0 %\n"
            "1 smaller share left out\n"
            "the model explains <*> % of the variance of the fifth of the trials that it was not fitted to\n"
            "\n"
            "failures by cause\n"
            "trials  status        for example  message\n"
            "     3  wrong_result           67  20 elements differ\n");
}

TEST_F(Importance, prints_a_row_for_each_finding_as_json) {
  add_study(path_);
  const Call shown = show({"scale", "--json"});
  ASSERT_EQ(shown.code, ExitCode::done) << shown.err;
  const auto row = [json = Json::parse(shown.out)](const char* key, const char* value) {
    return *std::ranges::find_if(json, [&](const Json& each) { return each[key] == value; });
  };
  EXPECT_NEAR(row("parameter", "way")["share"].get<double>() + row("parameter", "n")["share"].get<double>(),
              1, 1e-6);
  EXPECT_EQ(row("finding", "failure")["trials"], 3);
}

}  // namespace
}  // namespace gktune
