#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "db/portfolio/make_portfolio.h"

namespace gktune {
namespace {

constexpr int kMostSwaps = 100;

// A set of problems or of configurations.
class Bits {
 public:
  explicit Bits(std::size_t size) : words_((size + 63) / 64) {}
  void set(std::size_t at) { words_[at / 64] |= std::uint64_t{1} << at % 64; }
  bool has(std::size_t at) const { return (words_[at / 64] >> at % 64 & 1) != 0; }
  std::size_t count_in(const Bits& other) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < words_.size(); ++i)
      sum += static_cast<std::size_t>(std::popcount(words_[i] & other.words_[i]));
    return sum;
  }
  std::size_t count() const { return count_in(*this); }
  bool is_within(const Bits& other) const { return count_in(other) == count(); }
  bool meets(const Bits& other) const { return count_in(other) > 0; }
  void add(const Bits& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  Bits without(const Bits& other) const {
    Bits left = *this;
    for (std::size_t i = 0; i < words_.size(); ++i) left.words_[i] &= ~other.words_[i];
    return left;
  }

 private:
  std::vector<std::uint64_t> words_;
};

// The problems that each configuration serves.
std::vector<Bits> problems_served(const CostTable& table, double within) {
  std::vector<Bits> served(table.configs.size(), Bits(table.problems.size()));
  for (std::size_t problem = 0; problem < table.problems.size(); ++problem) {
    for (std::size_t config = 0; config < served.size(); ++config) {
      if (table.loss[problem][config] <= within || table.winners[problem] == config)
        served[config].set(problem);
    }
  }
  return served;
}

// Branch and bound. A set is that of the problems that one configuration serves.
class Search {
 public:
  Search(const std::vector<Bits>& served, std::size_t problems, std::size_t most_nodes)
      : nodes_left_(most_nodes), all_(problems) {
    for (std::size_t problem = 0; problem < problems; ++problem) order_.push_back(problem), all_.set(problem);
    for (std::size_t config = 0; config < served.size(); ++config) sets_.push_back({config, served[config]});
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
      if (std::ranges::none_of(kept, [&](const Set& other) { return set.served.is_within(other.served); }))
        kept.push_back(std::move(set));
    }
    sets_ = std::move(kept);
  }

  void find_servers() {
    servers_.assign(order_.size(), Bits(sets_.size()));
    for (const std::size_t problem : order_) {
      for (std::size_t i = 0; i < sets_.size(); ++i) {
        if (sets_[i].served.has(problem)) servers_[problem].set(i);
      }
    }
    std::ranges::stable_sort(order_, {}, [&](std::size_t problem) { return servers_[problem].count(); });
  }

  std::vector<std::size_t> greedy(Bits open) const {
    std::vector<std::size_t> chosen;
    while (open.count() > 0) {
      const auto largest =
          std::ranges::max_element(sets_, {}, [&](const Set& set) { return set.served.count_in(open); });
      chosen.push_back(static_cast<std::size_t>(largest - sets_.begin()));
      open = open.without(largest->served);
    }
    return chosen;
  }

  // Problems of which no two have a server in common need one configuration each.
  std::size_t bound(const Bits& open) const {
    Bits used(sets_.size());
    std::size_t independent = 0;
    for (const std::size_t problem : order_) {
      if (!open.has(problem) || servers_[problem].meets(used)) continue;
      ++independent;
      used.add(servers_[problem]);
    }
    return independent;
  }

  void branch(const Bits& open, std::vector<std::size_t>& chosen) {
    // The problem with the fewest servers: one of them has to be chosen.
    const auto hardest = std::ranges::find_if(order_, [&](std::size_t problem) { return open.has(problem); });
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
      if (servers_[*hardest].has(i)) order.emplace_back(sets_[i].served.count_in(open), i);
    }
    std::ranges::stable_sort(order, std::greater(), &std::pair<std::size_t, std::size_t>::first);
    for (const auto& [count, i] : order) {
      chosen.push_back(i);
      branch(open.without(sets_[i].served), chosen);
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

// The least loss of each problem with the configurations, except the one at this place.
std::vector<double> least_losses(const CostTable& table, const std::vector<std::size_t>& configs,
                                 std::size_t except) {
  std::vector<double> least(table.problems.size(), CostTable::kUnmeasuredLoss);
  for (std::size_t problem = 0; problem < least.size(); ++problem) {
    for (std::size_t at = 0; at < configs.size(); ++at) {
      if (at != except) least[problem] = std::min(least[problem], table.loss[problem][configs[at]]);
    }
  }
  return least;
}

// The weighted sum of the losses if each configuration joined those with these least losses. Goes along the
// rows of the table.
std::vector<double> totals_with(const CostTable& table, const std::vector<double>& least) {
  std::vector<double> totals(table.configs.size());
  for (std::size_t problem = 0; problem < least.size(); ++problem) {
    const double most = least[problem], weight = table.weights[problem];
    const std::vector<double>& losses = table.loss[problem];
    for (std::size_t config = 0; config < totals.size(); ++config)
      totals[config] += weight * std::min(most, losses[config]);
  }
  return totals;
}

// Exchanges one configuration for another while that lowers the loss. If there are sets of served problems, the
// configurations together go on serving all.
void exchange(const CostTable& table, std::vector<std::size_t>& configs, const std::vector<Bits>& served = {}) {
  for (int swap = 0; swap < kMostSwaps; ++swap) {
    std::optional<std::pair<std::size_t, std::size_t>> better;  // a place, and the configuration for it
    double lowest = CostTable::kUnmeasured;
    for (std::size_t at = 0; at < configs.size(); ++at) {
      const std::vector<double> totals = totals_with(table, least_losses(table, configs, at));
      lowest = std::min(lowest, totals[configs[at]]);
      Bits alone(table.problems.size());  // the problems that this configuration alone serves
      if (!served.empty()) {
        alone = served[configs[at]];
        for (std::size_t other = 0; other < configs.size(); ++other) {
          if (other != at) alone = alone.without(served[configs[other]]);
        }
      }
      for (std::size_t config = 0; config < totals.size(); ++config) {
        if (totals[config] >= lowest - 1e-12 || (!served.empty() && !alone.is_within(served[config]))) continue;
        lowest = totals[config], better = {at, config};
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
  CostTable part;
  part.configs = configs;
  for (const std::size_t problem : kept) {
    part.problems.push_back(problems[problem]);
    part.weights.push_back(weights[problem]);
    part.loss.push_back(loss[problem]);
    part.winners.push_back(winners[problem]);
  }
  return part;
}

Cover smallest_cover(const CostTable& table, double within, std::size_t most_nodes) {
  const std::vector<Bits> served = problems_served(table, within);
  Cover cover = Search(served, table.problems.size(), most_nodes).run();
  exchange(table, cover.configs, served);
  sort_by_use(table, cover.configs);
  return cover;
}

std::vector<std::size_t> least_loss(const CostTable& table, std::size_t count) {
  std::vector<std::size_t> configs;
  while (configs.size() < std::min(count, table.configs.size())) {
    const std::vector<double> totals = totals_with(table, least_losses(table, configs, configs.size()));
    configs.push_back(static_cast<std::size_t>(std::ranges::min_element(totals) - totals.begin()));
  }
  exchange(table, configs);
  return configs;
}

}  // namespace gktune
