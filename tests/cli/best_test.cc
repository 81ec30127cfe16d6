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

TEST_F(BestCommand, lists_all_winners_if_no_problem_is_given) {
  Call all = best({});
  EXPECT_EQ(all.code, ExitCode::done);
  EXPECT_TRUE(contains(
      all.out, "reduce  element=int,n=1Mi  10.0 µs  threadsPerBlock=256 way=one_pass  NVIDIA H200  cold"));
  EXPECT_TRUE(contains(all.out, "NVIDIA H100"));
  EXPECT_EQ(best({"reduce"}).out, all.out);
}

TEST_F(BestCommand, says_that_a_match_is_exact) {
  EXPECT_EQ(printed_by(best({"reduce", "--problem", "n=1Mi,element=int", "--device", "h200"})),
            "threadsPerBlock=256 way=one_pass\n"
            "reduce n=1Mi,element=int on NVIDIA H200: 10.0 µs, exact match\n");
}

TEST_F(BestCommand, exits_with_5_if_the_match_is_worse_than_required) {
  EXPECT_EQ(best({"reduce", "--problem", "n=1Mi,element=int", "--device", "h200", "--require", "exact"}).code,
            ExitCode::done);
  const std::vector<std::string> near = {"reduce", "--problem", "n=512Mi", "--device", "NVIDIA H200", "--require"};
  const auto required = [&](const char* match) {
    std::vector<std::string> arguments = near;
    arguments.emplace_back(match);
    return best(arguments);
  };
  EXPECT_EQ(required("nearest").code, ExitCode::done);
  const Call worse = required("exact");
  EXPECT_EQ(worse.out, "");
  EXPECT_TRUE(ended(worse, ExitCode::worse_match,
                    "error: the best match for reduce n=512Mi is nearest problem, which is worse than exact\n"
                    "  hint: the nearest tuned problem is element=int,n=1Gi\n"));
  EXPECT_EQ(required("good").code, ExitCode::usage);
  EXPECT_EQ(best({"reduce", "--require", "exact"}).code, ExitCode::usage);
}

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

TEST_F(BestCommand, answers_with_the_nearest_problem_and_names_it) {
  EXPECT_EQ(printed_by(best({"reduce", "--problem", "n=512Mi", "--device", "NVIDIA H200"})),
            "threadsPerBlock=512 way=one_pass\n"
            "reduce n=512Mi on NVIDIA H200: 920 µs, "
            "the nearest tuned problem is element=int,n=1Gi\n");
}

TEST_F(BestCommand, prints_the_match_and_the_configuration_as_json) {
  auto answer =
      Json::parse(best({"reduce", "--problem", "n=1Gi,element=int", "--device", "H200", "--json"}).out);
  EXPECT_EQ(answer["match"], "exact");
  EXPECT_EQ(answer["config"]["threadsPerBlock"], 512);
  EXPECT_EQ(answer["time_us"], 920.0);
  EXPECT_DOUBLE_EQ(answer["metrics"]["GB/s"].get<double>(), 4e6 / 920);
  EXPECT_EQ(Json::parse(best({"--json"}).out).size(), 3u);
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

TEST_F(BestCommand, answers_with_a_configuration_that_a_person_corrected) {
  sqlite::Connection(path_, sqlite::Connection::Access::create, std::chrono::seconds(10))
      .execute("UPDATE trials SET config = replace(config, '512', '1024')");
  const Call called = best({"reduce", "--problem", "n=1Gi,element=int", "--device", "H200"});
  EXPECT_TRUE(contains(called.out, "threadsPerBlock=1024")) << called.out << called.err;
}

TEST_F(BestCommand, suggests_a_kernel_for_a_misspelt_one) {
  Call misspelt = best({"redcue"});
  EXPECT_TRUE(ended(misspelt, ExitCode::no_configuration,
                    "error: the database has no configuration of kernel 'redcue', did you mean 'reduce'?\n"
                    "  hint: it has reduce\n"));
}

TEST_F(BestCommand, suggests_an_axis_for_a_misspelt_one) {
  Call misspelt = best({"reduce", "--problem", "elemnt=int"});
  EXPECT_TRUE(ended(misspelt, ExitCode::usage,
                    "error: --problem: unknown problem axis 'elemnt', did you mean 'element'?\n"
                    "  hint: gktune best --help\n"));
}

TEST_F(BestCommand, names_a_bad_number) {
  Call bad = best({"reduce", "--problem", "n=lots"});
  EXPECT_TRUE(ended(bad, ExitCode::usage,
                    "error: --problem: axis n: 'lots' is not an integer; write it as 1048576, 1Mi or 1e6\n"
                    "  hint: gktune best --help\n"));
}

TEST_F(BestCommand, suggests_a_device_for_an_unknown_one) {
  Call unknown = best({"reduce", "--device", "NVIDIA H210"});
  EXPECT_TRUE(ended(unknown, ExitCode::no_device,
                    "error: the database knows no device 'NVIDIA H210', did you mean 'NVIDIA H200'?\n"));
  Call either = best({"reduce", "--device", "nvidia"});
  EXPECT_TRUE(ended(either, ExitCode::no_device, "error: 'nvidia' may be any of NVIDIA H200; NVIDIA H100\n"));
}

TEST_F(BestCommand, refuses_a_problem_without_a_kernel) {
  EXPECT_EQ(best({"--problem", "n=1"}).code, ExitCode::usage);
}

TEST(BestOfNothing, an_empty_database_has_no_configuration) {
  ScratchFolder folder;
  ASSERT_TRUE(Database::open(folder.path("empty.db"), Database::Access::write).ok());
  Call best = call({"best", "--db", folder.path("empty.db")});
  EXPECT_EQ(best.out, "");
  EXPECT_TRUE(ended(best, ExitCode::no_configuration,
                    "error: the database has no configuration yet\n  hint: gktune run SPACE adds some\n"));
}

}  // namespace
}  // namespace gktune
