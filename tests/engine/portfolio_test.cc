#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "db/database.h"
#include "db/sqlite/connection.h"
#include "engine/portfolio/make_portfolio.h"
#include "tests/db/example_study.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

CostTable table_of(const std::vector<std::vector<double>>& loss) {
  CostTable table;
  table.loss = loss;
  for (std::size_t config = 0; config < loss.front().size(); ++config)
    table.configs.push_back({{"a", static_cast<std::int64_t>(config)}});
  for (std::size_t problem = 0; problem < loss.size(); ++problem) {
    table.problems.push_back({{"n", static_cast<std::int64_t>(1024 * (problem + 1))}});
    table.winners.push_back(
        static_cast<std::size_t>(std::ranges::min_element(loss[problem]) - loss[problem].begin()));
  }
  return table;
}

TEST(Cover, serves_each_problem_within_the_loss_with_few_configurations) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> loss(0, 0.1);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::vector<double>> losses(1 + random() % 9, std::vector<double>(10));
    for (auto& of_problem : losses) {
      for (double& each : of_problem) each = loss(random);
      of_problem[random() % 10] = 0;
    }
    const auto cover = small_cover(table_of(losses), 0.02);
    EXPECT_LE(cover.size(), losses.size());
    for (const auto& of_problem : losses)
      EXPECT_TRUE(std::ranges::any_of(cover, [&](std::size_t config) { return of_problem[config] <= 0.02; }));
  }
  EXPECT_EQ(small_cover(table_of({{0, 0.01, 1}, {1, 0.01, 0}}), 0.02), (std::vector<std::size_t>{1}));
}

TEST(Cover, serves_a_problem_with_its_winner_whatever_its_loss) {
  CostTable table = table_of({{0.5, 1}, {1, 0.5}});
  EXPECT_EQ(small_cover(table, 0.02).size(), 2u);
}

TEST(Cover, has_the_least_loss) {
  const CostTable table = table_of({{0, 0.1, 0.02}, {0.3, 0, 0.02}});
  EXPECT_EQ(least_loss(table, 1), (std::vector<std::size_t>{2}));
  EXPECT_EQ(least_loss(table, 9).size(), 3u);
}

TEST(SelectionTree, divides_sizes_and_texts) {
  CostTable table = table_of({{0, 1}, {0, 1}, {1, 0}, {1, 0}});
  for (auto& problem : table.problems) problem.set("T", "float");
  table.problems.push_back({{"n", 1024}, {"T", "double"}});
  table.loss.push_back({1, 0});
  table.winners.push_back(1);
  const auto tree = selection_tree(table, std::vector<std::size_t>{0, 1}, 0);
  for (std::size_t i = 0; i < table.problems.size(); ++i)
    EXPECT_EQ(find_leaf(tree, table.problems[i])->config, table.winners[i]) << i;
  EXPECT_EQ(find_leaf(tree, {{"n", 1000}, {"T", "float"}})->config, 0u);
  EXPECT_EQ(find_leaf(tree, {{"n", 1 << 20}, {"T", "float"}})->config, 1u);
  EXPECT_EQ(find_leaf(tree, {{"m", 1}}), nullptr);
  // No division gains so much.
  EXPECT_EQ(selection_tree(table, std::vector<std::size_t>{0, 1}, 5).size(), 1u);
}

TEST(Portfolio, serves_problems_that_were_held_back) {
  // The best configuration changes at n = 2^20.
  std::vector<std::vector<double>> losses;
  for (int i = 0; i < 20; ++i) {
    const double step = i < 10 ? 0 : 1;
    losses.push_back({step * 0.5, (1 - step) * 0.5, 0.2});
  }
  const Portfolio portfolio = make_portfolio(table_of(losses), {});
  EXPECT_EQ(portfolio.configs.size(), 2u);
  EXPECT_EQ(portfolio.tree.size(), 3u);
  EXPECT_EQ(portfolio.tree_loss.worst, 0);
  ASSERT_TRUE(portfolio.held_back.has_value());
  EXPECT_LE(portfolio.held_back->mean, 0.05);
  ASSERT_EQ(portfolio.losses.size(), 2u);  // with one and two of three configurations
  EXPECT_DOUBLE_EQ(portfolio.losses[0].mean, 0.2);
  EXPECT_EQ(portfolio.losses[1].mean, 0);
  EXPECT_EQ(*portfolio.find({{"n", 3000}}), (Config{{"a", 0}}));
  EXPECT_EQ(portfolio.find({}), nullptr);
}

class StoredPortfolio : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 6; ++i) {
      const auto study = *store_->study_id(reduce_study(std::int64_t{1024} << (2 * i)));
      for (int a = 0; a < 4; ++a) {
        const double time = 100 + 50 * std::abs(a - i / 2);
        ASSERT_TRUE(store_->add_trial(study, session_, ok_trial({{"a", a}, {"way", "x"}}, time)).ok());
      }
    }
  }
  std::unique_ptr<Database> store_ = std::move(*Database::in_memory());
  std::int64_t session_ = *store_->begin_session({"0.1.0", "box", "gktune run", example_device()});
};

TEST_F(StoredPortfolio, is_read_back_unchanged) {
  const auto tables = *read_costs(*store_, "reduce");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].problems.size(), 6u);
  const Portfolio made = make_portfolio(tables[0], {});
  EXPECT_EQ(made.configs.size(), 3u);
  EXPECT_TRUE(made.is_of(reduce_study()));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(store_->store_portfolio(made).ok());
  const auto read = *store_->portfolios("reduce");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].configs, made.configs);
  EXPECT_EQ(read[0].device, kH200);
  EXPECT_EQ(read[0].tree.size(), made.tree.size());
  EXPECT_EQ(read[0].losses.size(), made.losses.size());
  for (const Problem& problem : made.problems) EXPECT_EQ(*read[0].find(problem), *made.find(problem));
  EXPECT_EQ(store_->portfolios("other")->size(), 0u);
}

// Stores a portfolio of three configurations, a = 0, 1, 2, for the sizes from small to large.
class AgedPortfolio : public StoredPortfolio {
 protected:
  void SetUp() override {
    StoredPortfolio::SetUp();
    Portfolio made = make_portfolio(read_costs(*store_, "reduce")->at(0), {});
    made.made_unix_ms = 5000;
    ASSERT_TRUE(store_->store_portfolio(made).ok());
  }
  void add(std::int64_t n, const Trial& trial) const {
    ASSERT_TRUE(store_->add_trial(*store_->study_id(reduce_study(n)), session_, trial).ok());
  }
  Portfolio stored() const { return store_->portfolios("reduce")->at(0); }
};

TEST_F(AgedPortfolio, is_not_stale_while_nothing_is_measured) { EXPECT_TRUE(stored().stale.empty()); }

TEST_F(AgedPortfolio, is_stale_once_a_problem_is_tuned_again) {
  add(3000, ok_trial({{"a", 0}, {"way", "x"}}, 100, 6000));
  EXPECT_EQ(stored().stale, std::vector<std::string>{std::string(kPortfolioOutdated)});
  EXPECT_EQ(stored().configs.size(), 3u);
}

TEST_F(AgedPortfolio, leaves_out_a_configuration_that_gave_a_wrong_result_later) {
  const Config wrong = {{"a", 2}, {"way", "x"}};
  ASSERT_EQ(*stored().find({{"n", 1 << 20}, {"T", "float"}}), wrong);
  add(1024, failed_trial(wrong, Status::wrong_result, 6000));  // on any problem
  const Portfolio left = stored();
  ASSERT_EQ(left.configs.size(), 2u);
  EXPECT_EQ(std::ranges::count(left.configs, wrong), 0);
  for (const std::int64_t n : {1024, 1 << 16, 1 << 20})
    EXPECT_NE(*left.find({{"n", n}, {"T", "float"}}), wrong) << n;
  EXPECT_EQ(left.stale,
            (std::vector<std::string>{"1 configuration of the portfolio failed later and is left out",
                                      std::string(kPortfolioOutdated)}));
}

TEST_F(AgedPortfolio, drops_a_configuration_only_if_it_is_refused_for_all_problems) {
  const Config refused = {{"a", 2}, {"way", "x"}};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(stored().configs.size(), 3u) << i;
    add(std::int64_t{1024} << (2 * i), failed_trial(refused, Status::launch_failed, 6000));
  }
  EXPECT_EQ(stored().configs.size(), 2u);
}

TEST_F(AgedPortfolio, is_left_out_if_none_of_its_configurations_is_right) {
  for (int a = 0; a < 3; ++a) add(1024, failed_trial({{"a", a}, {"way", "x"}}, Status::crashed, 6000));
  EXPECT_TRUE(store_->portfolios("reduce")->empty());
}

TEST_F(StoredPortfolio, with_a_broken_tree_is_refused_with_its_name) {
  ScratchFolder scratch;
  const auto path = scratch / "gktune.db";
  auto store = std::move(*Database::open(path, Database::Access::write));
  const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
  ASSERT_TRUE(store->add_trial(*store->study_id(reduce_study()), session, ok_trial({{"a", 0}}, 1)).ok());
  const Portfolio made = make_portfolio(read_costs(*store_, "reduce")->at(0), {});
  ASSERT_TRUE(store->store_portfolio(made).ok());
  for (const char* body : {"{}", R"({"tree":3})", R"({"tree":[{"axis":"n","value":1,"yes":0,"no":0}]})"}) {
    sqlite::Connection(path, sqlite::Connection::Access::create, std::chrono::seconds(1))
        .execute(std::string("UPDATE portfolios SET body = '") + body + "'");
    const auto read = store->portfolios();
    ASSERT_FALSE(read.ok()) << body;
    EXPECT_NE(read.error().message.find("the portfolio of 'reduce'"), std::string::npos) << read.error().message;
  }
}

// A configuration had one lucky time in the search, and came last in the playoff.
TEST_F(StoredPortfolio, is_made_from_the_times_of_playoffs_where_these_decide) {
  const auto trial = [](int a, double time) { return ok_trial({{"a", a}, {"way", "x"}}, time, 2000); };
  for (int i = 0; i < 6; ++i) {
    const auto study = *store_->study_id(reduce_study(std::int64_t{1024} << (2 * i)));
    ASSERT_TRUE(store_->add_trial(study, session_, trial(9, 60)).ok());
    Playoff playoff{{}, 3000};
    for (const auto& [a, time] : {std::pair(i / 2, 100.0), {i / 2 + 1, 140.0}, {9, 150.0}})
      playoff.finalists.push_back(trial(a, time));
    ASSERT_TRUE(store_->add_playoff(study, session_, playoff).ok());
  }
  const CostTable costs = read_costs(*store_, "reduce")->at(0);
  const auto lucky = static_cast<std::size_t>(
      std::ranges::find(costs.configs, Config{{"a", 9}, {"way", "x"}}) - costs.configs.begin());
  ASSERT_LT(lucky, costs.configs.size());
  for (std::size_t problem = 0; problem < 6; ++problem) {
    EXPECT_EQ(costs.configs[costs.winners[problem]], (Config{{"a", problem / 2}, {"way", "x"}}));
    EXPECT_DOUBLE_EQ(costs.loss[problem][costs.winners[problem]], 0);
    EXPECT_DOUBLE_EQ(costs.loss[problem][lucky], 0.5);  // 150 after 100
  }
  const Portfolio made = make_portfolio(costs, {});
  EXPECT_EQ(made.configs.size(), 3u);
  EXPECT_EQ(std::ranges::count(made.configs, costs.configs[lucky]), 0);
}

TEST_F(StoredPortfolio, has_only_configurations_that_were_right_where_they_could_know_of_no_other_execution) {
  for (int i = 0; i < 6; ++i) {
    const auto study = *store_->study_id(reduce_study(std::int64_t{1024} << (2 * i)));
    ASSERT_TRUE(store_->add_trial(study, session_, ok_trial({{"a", 9}, {"way", "x"}}, 101, 2000)).ok());
    Trial proven = ok_trial({{"a", i / 2}, {"way", "x"}}, 100, 2000);
    proven.fresh_us = 104;
    ASSERT_TRUE(store_->add_trial(study, session_, proven).ok());
  }
  const CostTable costs = read_costs(*store_, "reduce")->at(0);
  EXPECT_EQ(costs.configs.size(), 3u);
  EXPECT_EQ(std::ranges::count(costs.configs, Config{{"a", 9}, {"way", "x"}}), 0);
  // Its times on other problems count too.
  EXPECT_DOUBLE_EQ(costs.loss[5][0], 1);
}

TEST_F(StoredPortfolio, needs_two_problems) { EXPECT_FALSE(read_costs(*store_, "other").ok()); }

}  // namespace
}  // namespace gktune
