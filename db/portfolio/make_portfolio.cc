#include "db/portfolio/make_portfolio.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "db/distance.h"

namespace gktune {
namespace {

constexpr std::array<double, 5> kGains = {0, 0.0005, 0.002, 0.01, 0.05};
constexpr std::size_t kMostFolds = 10;

// The loss where `choose` names the configuration of each problem.
template <class Choose>
PortfolioLoss loss_of(const CostTable& table, std::size_t configs, Choose choose) {
  PortfolioLoss loss{.configs = configs};
  double weights = 0;
  for (std::size_t problem = 0; problem < table.problems.size(); ++problem) {
    const double each = choose(problem);
    if (!std::isfinite(each)) {
      ++loss.unmeasured;
      continue;
    }
    loss.mean += table.weights[problem] * each;
    weights += table.weights[problem];
    loss.worst = std::max(loss.worst, each);
  }
  if (weights > 0) loss.mean /= weights;
  return loss;
}

PortfolioLoss loss_with(const CostTable& table, const std::vector<std::size_t>& configs) {
  return loss_of(table, configs.size(), [&](std::size_t problem) {
    double least = CostTable::kUnmeasured;
    for (const std::size_t config : configs) least = std::min(least, table.loss[problem][config]);
    return least;
  });
}

std::vector<std::size_t> chosen_configs(const CostTable& table, const PortfolioRequest& request) {
  auto configs = smallest_cover(table, request.within).configs;
  if (request.most_configs > 0 && configs.size() > request.most_configs)
    configs = least_loss(table, request.most_configs);
  return configs;
}

// Makes a portfolio of all problems but those of each fold, and asks it for these.
class HeldBack {
 public:
  HeldBack(const CostTable& table, const PortfolioRequest& request) : table_(table) {
    const std::size_t folds = std::min(kMostFolds, table.problems.size());
    for (std::size_t fold = 0; fold < folds; ++fold) {
      std::vector<std::size_t> kept, held;
      for (std::size_t i = 0; i < table.problems.size(); ++i) (i % folds == fold ? held : kept).push_back(i);
      const CostTable part = table.of(kept);
      folds_.push_back({part, kept, held, chosen_configs(part, request)});
    }
  }

  PortfolioLoss of_tree(double gain) const {
    std::vector<double> losses(table_.problems.size());
    for (const Fold& fold : folds_) {
      const auto tree = selection_tree(fold.part, fold.configs, gain);
      for (const std::size_t problem : fold.held) {
        const std::size_t place = find_leaf(tree, table_.problems[problem])->config;
        losses[problem] = table_.loss[problem][fold.configs[place]];
      }
    }
    return loss_of(table_, 0, [&](std::size_t problem) { return losses[problem]; });
  }

  PortfolioLoss of_nearest() const {
    std::vector<double> losses(table_.problems.size(), CostTable::kUnmeasured);
    for (const Fold& fold : folds_) {
      for (const std::size_t problem : fold.held) {
        std::optional<Distance> least;
        for (const std::size_t other : fold.kept) {
          const auto far = distance(table_.problems[problem], table_.problems[other]);
          if (!far || (least && !(*far < *least))) continue;
          least = far;
          losses[problem] = table_.loss[problem][table_.winners[other]];
        }
      }
    }
    return loss_of(table_, 0, [&](std::size_t problem) { return losses[problem]; });
  }

 private:
  struct Fold {
    CostTable part;
    std::vector<std::size_t> kept, held, configs;
  };
  const CostTable& table_;
  std::vector<Fold> folds_;
};

// An unmeasured choice may be arbitrarily bad.
double score_of(const PortfolioLoss& loss) { return loss.mean + static_cast<double>(loss.unmeasured); }

}  // namespace

Portfolio make_portfolio(const CostTable& table, const PortfolioRequest& request) {
  Portfolio portfolio;
  portfolio.within = request.within;
  portfolio.problems = table.problems;
  const Cover cover = smallest_cover(table, request.within);
  std::vector<std::size_t> configs = cover.configs;
  portfolio.is_smallest = cover.is_smallest();
  portfolio.at_least = cover.at_least;
  if (request.most_configs > 0 && configs.size() > request.most_configs) {
    configs = least_loss(table, request.most_configs);
    portfolio.is_smallest = false;
  }
  for (const std::size_t config : configs) portfolio.configs.push_back(table.configs[config]);
  for (const std::size_t count : {1u, 2u, 4u, 8u}) {
    if (count <= table.configs.size()) portfolio.losses.push_back(loss_with(table, least_loss(table, count)));
  }

  // Divide as finely as serves problems that were held back.
  double best_gain = 0;
  if (table.problems.size() >= 3) {
    const HeldBack validation(table, request);
    for (const double gain : kGains) {
      const PortfolioLoss loss = validation.of_tree(gain);
      if (portfolio.held_back && score_of(loss) >= score_of(*portfolio.held_back)) continue;
      portfolio.held_back = loss;
      best_gain = gain;
    }
    portfolio.held_back->configs = configs.size();
    portfolio.held_back_nearest = validation.of_nearest();
  }
  portfolio.tree = selection_tree(table, configs, best_gain);
  portfolio.tree_loss = loss_of(table, configs.size(), [&](std::size_t problem) {
    return table.loss[problem][configs[find_leaf(portfolio.tree, table.problems[problem])->config]];
  });
  return portfolio;
}

}  // namespace gktune
