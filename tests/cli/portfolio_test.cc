// gktune db portfolio on a kernel whose losses are known: of eight sizes, size i is best with configuration
// i, and configuration c takes 10 % more for each step between them.
#include "db/portfolio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/output/json.h"
#include "db/database.h"
#include "tests/cli/call.h"
#include "tests/db/example_study.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class DbPortfolio : public testing::Test {
 protected:
  void SetUp() override {
    auto store = std::move(*Database::open(database_, Database::Access::write));
    const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
    for (int i = 0; i < 8; ++i) {
      const auto study = *store->study_id(reduce_study(std::int64_t{1024} << (2 * i)));
      for (int c = 0; c < 8; ++c) {
        const Trial trial = ok_trial({{"c", c}}, 100 + 10 * std::abs(i - c));
        ASSERT_TRUE(store->add_trial(study, session, trial).ok());
      }
    }
  }
  Call portfolio(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {"db", "portfolio", "reduce", "--db", database_, "--dry-run"});
    return call(flags);
  }
  Json made(std::vector<std::string> flags) const {
    flags.emplace_back("--json");
    const Call called = portfolio(flags);
    EXPECT_EQ(called.code, ExitCode::done) << called.err;
    return Json::parse(called.out).at(0);
  }

  ScratchFolder folder_;
  std::string database_ = folder_.path("gktune.db");
};

TEST_F(DbPortfolio, prints_the_losses_with_one_two_four_and_eight_configurations) {
  const Call called = portfolio({"--within", "10.1%"});
  EXPECT_EQ(called.code, ExitCode::done) << called.err;
  EXPECT_TRUE(
      called.out.starts_with("reduce on NVIDIA H200 (cold, objective: time), 8 problems\n"
                             "3 configurations within 10.1 % of the best on every problem\n"))
      << called.out;
  // The least sums of steps: 16 from the middle, 2 x 4 from two of them, 4 x 1 from four.
  EXPECT_TRUE(contains(called.out,
                       "configurations  mean loss  worst loss  not measured\n"
                       "             1     20.0 %      40.0 %             0\n"
                       "             2     10.0 %      20.0 %             0\n"
                       "             4      5.0 %      10.0 %             0\n"
                       "             8      0.0 %       0.0 %             0\n"));
  EXPECT_TRUE(contains(called.out, "\nthe tree's choice: "));
  EXPECT_TRUE(contains(called.out, "\non problems held back: "));
}

TEST_F(DbPortfolio, allows_each_problem_no_more_than_the_given_loss) {
  for (const auto& [within, configs] :
       {std::pair("0%", 8u), {"9.9%", 8u}, {"10.1%", 3u}, {"20.1 %", 2u}, {"40.1%", 1u}}) {
    const Json portfolio = made({"--within", within});
    EXPECT_EQ(portfolio["configs"].size(), configs) << within;
    EXPECT_EQ(portfolio["is_limited"], false) << within;
    EXPECT_EQ(portfolio["problems"].size(), 8u) << within;
    EXPECT_EQ(portfolio["losses"].size(), 4u) << within;
    EXPECT_TRUE(portfolio["held_back"]["mean"].is_number()) << within;
  }
  const Json few = made({"--within", "0%", "--most", "2"});
  EXPECT_EQ(few["configs"].size(), 2u);
  EXPECT_EQ(few["is_limited"], true);
}

TEST_F(DbPortfolio, warns_of_winners_that_are_stale) {
  DeviceInfo device = example_device();
  device.driver = "580.1";
  auto store = std::move(*Database::open(database_, Database::Access::write));
  const auto session = *store->begin_session({"0.1.0", "box", "gktune run", device});
  EXPECT_EQ(portfolio({}).err, "");
  ASSERT_TRUE(
      store->add_trial(*store->study_id(reduce_study(1024)), session, ok_trial({{"c", 0}}, 90, 2000)).ok());
  EXPECT_EQ(portfolio({}).err,
            "warning: 7 of 8 winners are stale: the driver was 550.54 then and is 580.1 now\n"
            "  hint: gktune run SPACE --fresh measures again\n");
}

// The portfolio of the fixture, stored, and then a wrong result of one of its configurations.
class StalePortfolio : public DbPortfolio {
 protected:
  void SetUp() override {
    DbPortfolio::SetUp();
    ASSERT_EQ(call({"db", "portfolio", "reduce", "--db", database_, "--within", "10.1%"}).code,
              ExitCode::done);
    auto store = std::move(*Database::open(database_, Database::Access::write));
    const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
    for (int c = 0; c < 8; c += 2) {  // with c = 1, 4 and 6 or the like
      const Trial wrong = failed_trial({{"c", c}}, Status::wrong_result, std::int64_t{1} << 50);
      ASSERT_TRUE(store->add_trial(*store->study_id(reduce_study(1024)), session, wrong).ok());
    }
  }
  const std::string outdated_ = std::string(kPortfolioOutdated);
};

TEST_F(StalePortfolio, answers_with_a_warning_and_without_the_wrong_configurations) {
  const Call called = call({"best", "reduce", "--problem", "n=5000,T=int", "--db", database_, "--json"});
  ASSERT_EQ(called.code, ExitCode::done) << called.err;
  const Json answer = Json::parse(called.out);
  EXPECT_EQ(answer["match"], "portfolio");
  EXPECT_EQ(answer["time_us"], Json());
  EXPECT_EQ(answer["config"]["c"].get<int>() % 2, 1);
  EXPECT_EQ(answer["stale"].back(), outdated_);
  EXPECT_TRUE(contains(called.err, "left out\n"));
}

TEST_F(DbPortfolio, needs_no_measurement_if_only_later_trials_made_it_stale) {
  ASSERT_EQ(call({"db", "portfolio", "reduce", "--db", database_}).code, ExitCode::done);
  {
    auto store = std::move(*Database::open(database_, Database::Access::write));
    const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
    Trial later = ok_trial({{"c", 99}}, 1e6);
    later.ended_unix_ms = std::int64_t{1} << 50;
    ASSERT_TRUE(store->add_trial(*store->study_id(reduce_study(1024)), session, later).ok());
  }
  const Call called = call({"best", "reduce", "--problem", "n=5000,T=int", "--db", database_});
  EXPECT_TRUE(contains(called.err, "warning: stale: " + std::string(kPortfolioOutdated)));
  EXPECT_FALSE(contains(called.err, "--fresh"));
}

TEST_F(StalePortfolio, is_named_by_a_warning_when_a_header_is_exported) {
  EXPECT_TRUE(ended_with(call({"db", "export", "reduce", "--format", "header", "--db", database_}),
                         ExitCode::done,
                         "warning: the portfolio of reduce on NVIDIA H200 is stale: " + outdated_));
}

}  // namespace
}  // namespace gktune
