#include <gtest/gtest.h>

#include "call.h"
#include "cli/output/json.h"
#include "db/sqlite/connection.h"
#include "gktune/lookup.h"
#include "tests/example_database.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class BestCommand : public ::testing::Test {
 protected:
  void SetUp() override { make_example_database(path_); }
  Call best(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "best");
    arguments.insert(arguments.end(), {"--db", path_});
    return call(arguments);
  }
  ScratchFolder folder_;
  std::string path_ = folder_.path("example.db");
};

TEST_F(BestCommand, lists_how_well_the_problems_of_space_files_are_covered) {
  folder_.write("reduce.cu", "__global__ void reduce(int* out) {}\n");
  folder_.write("reduce.yaml",
                "kernel: reduce\nsource: reduce.cu\nproblem: {n: [1Mi, 2Mi]}\nparameters: {a: {values: [1, 2]}}\n"
                "arguments: {out: {type: int32, extent: n, role: out, check: none}}\nlaunches: {entry: reduce, grid: 1, block: 1, "
                "arguments: [out]}\n");
  const std::string space = folder_.path("reduce.yaml");
  const Call all = best({"--coverage", space, "--json", "--device", "H200"});
  EXPECT_EQ(all.code, ExitCode::done) << all.err;
  const Json rows = Json::parse(all.out);
  ASSERT_EQ(rows.size(), 2u) << all.out;
  EXPECT_EQ(rows[0]["match"], "none");  // the winners are of other sources
  EXPECT_TRUE(contains(rows[0]["reason"].get<std::string>(), "of other sources")) << all.out;
  const Call required = best({"--coverage", space, "--require", "exact", "--device", "H200"});
  EXPECT_TRUE(ended_with(required, ExitCode::worse_match, "2 of 2 answers are worse than exact"));
  EXPECT_EQ(best({"--coverage", "/no/space.yaml"}).code, ExitCode::usage);
  EXPECT_EQ(best({"--coverage", space, "--device", "unknown"}).code, ExitCode::no_device);
}

TEST_F(BestCommand, the_answer_names_the_regime_of_its_time) {
  {
    auto store = std::move(*Database::open(path_, Database::Access::write));
    const auto session = *store->begin_session({});
    for (const std::int64_t n : {1 << 20, 1 << 24}) {
      Study hot = (*store->studies())[0].study;
      hot.regime = Regime::hot;
      hot.problem = {{"n", n}, {"element", "int"}};
      Trial trial = (*store->trials(1))[1];  // the winner of the cold study, later and quicker
      trial.timing.median_us = trial.objective = 1;
      trial.ended_unix_ms += 1000;
      ASSERT_TRUE(store->add_trial(*store->study_id(hot), session, trial).ok());
    }
  }
  const auto ask = [&](const std::string& problem, const std::string& form) {
    return best({"reduce", "--device", "H200", "--problem", problem, form}).out;
  };
  const auto cold = Json::parse(ask("n=1Mi,element=int", "--json")),
             hot = Json::parse(ask("n=16Mi,element=int", "--json"));
  EXPECT_EQ(cold["regime"], "cold");
  EXPECT_EQ(cold["time_us"], 10.0);
  EXPECT_EQ(hot["regime"], "hot");
  EXPECT_EQ(hot["time_us"], 1.0);
  EXPECT_TRUE(contains(ask("n=16Mi,element=int", "--why"), ": 1.00 µs (hot), exact match\n"));
  EXPECT_TRUE(contains(ask("n=1Mi,element=int", "--why"), ": 10.0 µs, exact match\nevidence: study 1,"));
  EXPECT_TRUE(contains(ask("n=16Mi,element=int", "--csv"), ",hot,"));
}

TEST_F(BestCommand, gives_the_match_that_an_application_gets) {
  const auto lookup = Lookup::open(path_);
  const DeviceIdentity h200{"cuda", "NVIDIA H200", "sm_90", 132};
  for (const auto& [text, problem] : {std::pair<std::string, Problem>{"n=1Gi", {{"n", 1 << 30}}},
                                      {"n=1Gi,element=int", {{"n", 1 << 30}, {"element", "int"}}},
                                      {"element=int", {{"element", "int"}}},
                                      {"n=5,element=int", {{"n", 5}, {"element", "int"}}}}) {
    const auto asked = Json::parse(best({"reduce", "--problem", text, "--device", "H200", "--json"}).out);
    const Answer answer = lookup->best("reduce", problem, h200);
    EXPECT_EQ(asked["match"], std::string(match_name(answer.match))) << text;
    EXPECT_EQ(asked["config"]["threadsPerBlock"], answer.integer("threadsPerBlock")) << text;
  }
}

TEST_F(BestCommand, reports_the_same_stale_answers_as_the_lookup_of_an_application) {
  const std::string path = folder_.path("stale.db");
  make_stale_database(path);
  const auto lookup = Lookup::open(path);
  for (const std::int64_t n : {1 << 20, 1 << 21, 1 << 30, 5}) {
    const auto asked = Json::parse(
        call({"best", "reduce", "--problem", "n=" + std::to_string(n), "--json", "--db", path}).out);
    const Answer answer = lookup->best("reduce", {{"n", n}});
    EXPECT_EQ(asked["stale"], Json(answer.stale)) << n;
    EXPECT_EQ(answer.stale.empty(), n == 1 << 30) << n;
  }
}

}  // namespace
}  // namespace gktune
