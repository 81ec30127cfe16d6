#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "engine/portfolio/make_portfolio.h"

namespace gktune {
namespace {

constexpr int kMostSwaps = 100;

// A set of problems or of configurations.
using Bits = boost::dynamic_bitset<std::uint64_t>;

std::size_t count_common(const Bits& a, const Bits& b) { return (a & b).count(); }

bool is_served(const CostTable& table, std::size_t problem, std::size_t config, double within) {
  return table.loss[problem][config] <= within || table.winners[problem] == config;
}

// Branch and bound. A set is that of the problems that one configuration serves.
class Search {
 public:
  Search(const CostTable& table, double within, std::size_t most_nodes)
      : nodes_left_(most_nodes), all_(table.problems.size()) {
    all_.set();
    for (std::size_t problem = 0; problem < all_.size(); ++problem) order_.push_back(problem);
    for (std::size_t config = 0; config < table.configs.size(); ++config) {
      Set& set = sets_.emplace_back(Set{config, Bits(all_.size())});
      for (const std::size_t problem : order_) set.served[problem] = is_served(table, problem, config, within);
    }
    drop_dominated_sets();
    find_servers();
  }

  Cover run() {
    const std::size_t root_bound = bound(all_);
    best_ = greedy(all_);
    std::vector<std::size_t> chosen;
    branch(all_, chosen);
    Cover cover;
    for (const std::size_t i : best_) cover.configs.push_back(sets_[i].config);
    cover.at_least = is_cut_ ? std::min(root_bound, best_.size()) : best_.size();
    return cover;
  }

 private:
  struct Set {
    std::size_t config;
    Bits served;
  };

  // A configuration is not needed if another one serves its problems too.
  void drop_dominated_sets() {
    std::ranges::stable_sort(sets_, std::greater(), [](const Set& set) { return set.served.count(); });
    std::vector<Set> kept;
    for (Set& set : sets_) {
      if (std::ranges::none_of(kept, [&](const Set& other) { return set.served.is_subset_of(other.served); }))
        kept.push_back(std::move(set));
    }
    sets_ = std::move(kept);
  }

  void find_servers() {
    servers_.assign(order_.size(), Bits(sets_.size()));
    for (const std::size_t problem : order_) {
      for (std::size_t i = 0; i < sets_.size(); ++i) {
        servers_[problem][i] = sets_[i].served[problem];
      }
    }
    std::ranges::stable_sort(order_, {}, [&](std::size_t problem) { return servers_[problem].count(); });
  }

  std::vector<std::size_t> greedy(Bits open) const {
    std::vector<std::size_t> chosen;
    while (open.any()) {
      const auto largest =
          std::ranges::max_element(sets_, {}, [&](const Set& set) { return count_common(set.served, open); });
      chosen.push_back(static_cast<std::size_t>(largest - sets_.begin()));
      open -= largest->served;
    }
    return chosen;
  }

  // Problems of which no two have a server in common need one configuration each.
  std::size_t bound(const Bits& open) const {
    Bits used(sets_.size());
    std::size_t independent = 0;
    for (const std::size_t problem : order_) {
      if (!open[problem] || servers_[problem].intersects(used)) continue;
      ++independent;
      used |= servers_[problem];
    }
    return independent;
  }

  void branch(const Bits& open, std::vector<std::size_t>& chosen) {
    // The problem with the fewest servers: one of them has to be chosen.
    const auto hardest = std::ranges::find_if(order_, [&](std::size_t problem) { return open[problem]; });
    if (hardest == order_.end()) {
      if (chosen.size() < best_.size()) best_ = chosen;
      return;
    }
    if (chosen.size() + bound(open) >= best_.size()) return;
    if (nodes_left_ == 0) {
      is_cut_ = true;
      return;
    }
    --nodes_left_;
    std::vector<std::pair<std::size_t, std::size_t>> order;  // the number of problems it serves, and the set
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (servers_[*hardest][i]) order.emplace_back(count_common(sets_[i].served, open), i);
    }
    std::ranges::stable_sort(order, std::greater(), &std::pair<std::size_t, std::size_t>::first);
    for (const auto& [count, i] : order) {
      chosen.push_back(i);
      branch(open - sets_[i].served, chosen);
      chosen.pop_back();
    }
  }

  std::size_t nodes_left_;
  bool is_cut_ = false;
  Bits all_;
  std::vector<std::size_t> order_;  // all problems, those with the fewest servers first
  std::vector<Set> sets_;
  std::vector<Bits> servers_;  // the sets that serve each problem
  std::vector<std::size_t> best_;
};

// The losses by which configurations are chosen: losses[problem][config].
using Losses = std::vector<std::vector<double>>;

// The weighted sum of the losses if each configuration joined the others, but for the one at the place `except`.
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
      totals[config] += table.weights[problem] * std::min(least, own[config]);
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
  std::vector<double> use(table.configs.size());
  for (std::size_t problem = 0; problem < table.problems.size(); ++problem) {
    const auto best = std::ranges::min_element(
        configs, {}, [&](std::size_t config) { return table.loss[problem][config]; });
    use[*best] += table.weights[problem];
  }
  std::ranges::stable_sort(configs, std::greater(), [&](std::size_t config) { return use[config]; });
}

}  // namespace

CostTable CostTable::of(std::span<const std::size_t> kept) const {
  CostTable part{.study = study, .configs = configs};
  for (const std::size_t problem : kept) {
    part.problems.push_back(problems[problem]);
    part.weights.push_back(weights[problem]);
    part.loss.push_back(loss[problem]);
    part.winners.push_back(winners[problem]);
  }
  return part;
}

Cover smallest_cover(const CostTable& table, double within, std::size_t most_nodes) {
  Cover cover = Search(table, within, most_nodes).run();
  // An exchange never leaves a problem unserved: that would cost more than all exchanges gain.
  constexpr double kUnservedLoss = 1e9;
  Losses losses = table.loss;
  for (std::size_t problem = 0; problem < losses.size(); ++problem) {
    for (std::size_t config = 0; config < table.configs.size(); ++config) {
      if (!is_served(table, problem, config, within)) losses[problem][config] = kUnservedLoss;
    }
  }
  exchange(table, losses, cover.configs);
  sort_by_use(table, cover.configs);
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
