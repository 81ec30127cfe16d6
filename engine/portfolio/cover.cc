#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/portfolio/make_portfolio.h"

namespace gktune {
namespace {

constexpr int kMostSwaps = 100;

bool is_served(const CostTable& table, std::size_t problem, std::size_t config, double within) {
  return table.loss[problem][config] <= within || table.winners[problem] == config;
}

std::vector<std::size_t> greedy_cover(const CostTable& table, double within) {
  std::vector<std::size_t> open(table.problems.size()), configs(table.configs.size()), chosen;
  std::iota(open.begin(), open.end(), std::size_t{0});
  std::iota(configs.begin(), configs.end(), std::size_t{0});
  while (!open.empty()) {
    const auto served_by = [&](std::size_t config) {
      return std::ranges::count_if(
          open, [&](std::size_t problem) { return is_served(table, problem, config, within); });
    };
    const std::size_t config = *std::ranges::max_element(configs, {}, served_by);
    chosen.push_back(config);
    std::erase_if(open, [&](std::size_t problem) { return is_served(table, problem, config, within); });
  }
  return chosen;
}

// The losses by which configurations are chosen: losses[problem][config].
using Losses = std::vector<std::vector<double>>;

// The sum of the losses if each configuration joined the others, but for the one at the place `except`.
std::vector<double> totals_with(const CostTable& table, const Losses& losses, const std::vector<std::size_t>& configs,
                                std::size_t except) {
  std::vector<double> totals(table.configs.size());
  for (std::size_t problem = 0; problem < losses.size(); ++problem) {
    const std::vector<double>& own = losses[problem];
    double least = CostTable::kUnmeasured;
    for (std::size_t at = 0; at < configs.size(); ++at) {
      if (at != except) least = std::min(least, own[configs[at]]);
    }
    for (std::size_t config = 0; config < totals.size(); ++config)
      totals[config] += std::min(least, own[config]);
  }
  return totals;
}

// Exchanges one configuration for another while that lowers the loss.
void exchange(const CostTable& table, const Losses& losses, std::vector<std::size_t>& configs) {
  for (int swap = 0; swap < kMostSwaps; ++swap) {
    std::optional<std::pair<std::size_t, std::size_t>> better;  // a place, and the configuration for it
    double lowest = CostTable::kUnmeasured;
    for (std::size_t at = 0; at < configs.size(); ++at) {
      const std::vector<double> totals = totals_with(table, losses, configs, at);
      lowest = std::min(lowest, totals[configs[at]]);
      for (std::size_t config = 0; config < totals.size(); ++config) {
        if (totals[config] < lowest - 1e-12) lowest = totals[config], better = {at, config};
      }
    }
    if (!better) return;
    configs[better->first] = better->second;
  }
}

// Configurations that serve the most problems best come first.
void sort_by_use(const CostTable& table, std::vector<std::size_t>& configs) {
  std::vector<std::size_t> use(table.configs.size());
  for (std::size_t problem = 0; problem < table.problems.size(); ++problem) {
    const auto best = std::ranges::min_element(
        configs, {}, [&](std::size_t config) { return table.loss[problem][config]; });
    ++use[*best];
  }
  std::ranges::stable_sort(configs, std::greater(), [&](std::size_t config) { return use[config]; });
}

}  // namespace

CostTable CostTable::of(std::span<const std::size_t> kept) const {
  CostTable part{.study = study, .configs = configs};
  for (const std::size_t problem : kept) {
    part.problems.push_back(problems[problem]);
    part.loss.push_back(loss[problem]);
    part.winners.push_back(winners[problem]);
  }
  return part;
}

std::vector<std::size_t> small_cover(const CostTable& table, double within) {
  std::vector<std::size_t> cover = greedy_cover(table, within);
  // An exchange never leaves a problem unserved: that would cost more than all exchanges gain.
  constexpr double kUnservedLoss = 1e9;
  Losses losses = table.loss;
  for (std::size_t problem = 0; problem < losses.size(); ++problem) {
    for (std::size_t config = 0; config < table.configs.size(); ++config) {
      if (!is_served(table, problem, config, within)) losses[problem][config] = kUnservedLoss;
    }
  }
  exchange(table, losses, cover);
  sort_by_use(table, cover);
  return cover;
}

std::vector<std::size_t> least_loss(const CostTable& table, std::size_t count) {
  Losses losses = table.loss;
  for (auto& own : losses) {
    for (double& loss : own) loss = std::min(loss, CostTable::kUnmeasuredLoss);
  }
  std::vector<std::size_t> configs;
  while (configs.size() < std::min(count, table.configs.size())) {
    const std::vector<double> totals = totals_with(table, losses, configs, configs.size());
    configs.push_back(static_cast<std::size_t>(std::ranges::min_element(totals) - totals.begin()));
  }
  exchange(table, losses, configs);
  return configs;
}

}  // namespace gktune
