#include "db/portfolio/portfolio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "db/portfolio/cover.h"
#include "db/portfolio/make_portfolio.h"
#include "db/portfolio/selection_tree.h"
#include "db/sqlite/database.h"
#include "db/store/sqlite_store.h"
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
    table.weights.push_back(1);
    table.winners.push_back(
        static_cast<std::size_t>(std::ranges::min_element(loss[problem]) - loss[problem].begin()));
  }
  return table;
}

bool is_covered(const CostTable& table, std::uint32_t configs, double within) {
  for (const auto& losses : table.loss) {
    bool served = false;
    for (std::size_t config = 0; config < losses.size(); ++config)
      served |= (configs >> config & 1) != 0 && losses[config] <= within;
    if (!served) return false;
  }
  return true;
}

TEST(Cover, is_the_smallest_that_exists) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> loss(0, 0.1);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::vector<double>> losses(1 + random() % 9, std::vector<double>(10));
    for (auto& of_problem : losses) {
      for (double& each : of_problem) each = loss(random);
      of_problem[random() % 10] = 0;
    }
    const CostTable table = table_of(losses);
    int least = 10;
    for (std::uint32_t configs = 0; configs < 1u << 10; ++configs) {
      if (is_covered(table, configs, 0.02)) least = std::min(least, std::popcount(configs));
    }
    const Cover cover = smallest_cover(table, 0.02);
    EXPECT_EQ(cover.configs.size(), static_cast<std::size_t>(least));
    EXPECT_TRUE(cover.is_smallest());
    std::uint32_t chosen = 0;
    for (const std::size_t config : cover.configs) chosen |= 1u << config;
    EXPECT_TRUE(is_covered(table, chosen, 0.02));
  }
}

TEST(Cover, that_is_cut_short_has_a_bound) {
  std::mt19937 random(3);
  std::vector<std::vector<double>> losses(60, std::vector<double>(80, 1));
  for (auto& of_problem : losses) {
    for (int i = 0; i < 6; ++i) of_problem[random() % 80] = 0;
  }
  const Cover greedy = smallest_cover(table_of(losses), 0.02, 1);
  EXPECT_LE(greedy.at_least, greedy.configs.size());
  EXPECT_GE(greedy.at_least, 1u);
  const Cover longer = smallest_cover(table_of(losses), 0.02, 2000);
  EXPECT_LE(longer.configs.size(), greedy.configs.size());
  EXPECT_GE(longer.configs.size(), greedy.at_least);
}

TEST(Cover, the_winner_of_a_problem_serves_it) {
  CostTable table = table_of({{0.5, 1}, {1, 0.5}});
  EXPECT_EQ(smallest_cover(table, 0.02).configs.size(), 2u);
}

TEST(Cover, the_least_loss_of_one_is_exact_and_weights_count) {
  CostTable table = table_of({{0, 0.1, 0.02}, {0.3, 0, 0.02}});
  EXPECT_EQ(least_loss(table, 1), (std::vector<std::size_t>{2}));
  table.weights = {100, 1};
  EXPECT_EQ(least_loss(table, 1), (std::vector<std::size_t>{0}));
  EXPECT_EQ(least_loss(table, 9).size(), 3u);
}

TEST(SelectionTree, divides_sizes_and_texts) {
  CostTable table = table_of({{0, 1}, {0, 1}, {1, 0}, {1, 0}});
  for (auto& problem : table.problems) problem.set("T", "float");
  table.problems.push_back({{"n", 1024}, {"T", "double"}});
  table.weights.push_back(1);
  table.loss.push_back({1, 0});
  table.winners.push_back(1);
  const auto tree = selection_tree(table, std::vector<std::size_t>{0, 1}, 0);
  for (std::size_t i = 0; i < table.problems.size(); ++i)
    EXPECT_EQ(find_leaf(tree, table.problems[i])->config, table.winners[i]) << i;
  EXPECT_EQ(find_leaf(tree, {{"n", 1000}, {"T", "float"}})->config, 0u);
  EXPECT_EQ(find_leaf(tree, {{"n", 1 << 20}, {"T", "float"}})->config, 1u);
  EXPECT_EQ(find_leaf(tree, {{"m", 1}}), nullptr);
  EXPECT_EQ(selection_tree(table, std::vector<std::size_t>{0, 1}, 5).size(), 1u);  // no division gains so much
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
  EXPECT_TRUE(portfolio.is_smallest);
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
    auto store = std::move(*open_sqlite_store(path_, StoreAccess::write));
    const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
    for (int i = 0; i < 6; ++i) {
      const auto study = *store->study_id(reduce_study(std::int64_t{1024} << (2 * i)));
      for (int a = 0; a < 4; ++a) {
        const double time = 100 + 50 * std::abs(a - i / 2);
        ASSERT_TRUE(store->add_trial(study, session, ok_trial({{"a", a}, {"way", "x"}}, time)).ok());
      }
    }
  }
  ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_ / "gktune.db";
};

TEST_F(StoredPortfolio, is_read_back_as_it_was_made) {
  const auto sources = *read_costs(path_, "reduce", {{{{"n", 1024}}, 3}});
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].table.problems.size(), 6u);
  EXPECT_EQ(sources[0].table.weights[0], 3);
  Portfolio made = make_portfolio(sources[0].table, {});
  EXPECT_EQ(made.configs.size(), 3u);
  made.kernel = "reduce";
  made.fingerprint = sources[0].identity.fingerprint;
  made.device = sources[0].identity.device;
  made.objective = "time";
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(store_portfolio(path_, made).ok());
  const auto read = *read_portfolios(path_, "reduce");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].configs, made.configs);
  EXPECT_EQ(read[0].device, kH200);
  EXPECT_EQ(read[0].tree.size(), made.tree.size());
  EXPECT_EQ(read[0].is_smallest, true);
  EXPECT_EQ(read[0].losses.size(), made.losses.size());
  for (const Problem& problem : made.problems) EXPECT_EQ(*read[0].find(problem), *made.find(problem));
  EXPECT_EQ(read_portfolios(path_, "other")->size(), 0u);
}

TEST_F(StoredPortfolio, needs_two_problems) {
  EXPECT_FALSE(read_costs(path_, "other", {}).ok());
}

TEST_F(StoredPortfolio, is_made_of_sound_trials_and_studies) {
  const Portfolio sound = make_portfolio((*read_costs(path_, "reduce", {}))[0].table, {});
  sqlite::Database(path_, sqlite::Database::Access::create, std::chrono::seconds(1))
      .execute("UPDATE trials SET objective = 0.5 WHERE id = 4; UPDATE trials SET config = '{', checksum = NULL WHERE id = 8;"
               "UPDATE studies SET problem = '{' WHERE id = 6");
  const auto sources = read_costs(path_, "reduce", {});
  ASSERT_TRUE(sources.ok()) << sources.error().message;
  const CostTable& table = (*sources)[0].table;
  EXPECT_EQ(table.problems.size(), 5u);
  EXPECT_EQ(table.configs.size(), 4u);
  EXPECT_EQ(table.winners[0], 0u);
  EXPECT_EQ(table.loss[0][3], CostTable::kUnmeasured);
  EXPECT_EQ(table.loss[1][3], CostTable::kUnmeasured);
  EXPECT_EQ(make_portfolio(table, {}).configs, sound.configs);
}

TEST_F(StoredPortfolio, that_is_damaged_is_left_out) {
  Portfolio made = make_portfolio((*read_costs(path_, "reduce", {}))[0].table, {});
  made.kernel = "reduce";
  made.device = kH200;
  ASSERT_TRUE(store_portfolio(path_, made).ok());
  for (const char* body : {"{", "{}", "[]", R"({"tree":[{"axis":"n","value":1,"yes":0,"no":0}]})"}) {
    sqlite::Database(path_, sqlite::Database::Access::create, std::chrono::seconds(1))
        .execute(std::string("UPDATE portfolios SET body = '") + body + "'");
    const auto read = read_portfolios(path_);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->size(), 0u) << body;
  }
}

}  // namespace
}  // namespace gktune
